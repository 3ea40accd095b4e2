-- Health of a Projection or ClusterProjection. Argo CD runs this script with the live object in "obj".
local health = { status = "Progressing", message = "Waiting for the operator to reconcile this rule" }

if obj.metadata.deletionTimestamp ~= nil then
  health.message = "Deleting the copies, and then the rule"
  return health
end

local status = obj.status
if status == nil or status.conditions == nil or status.observedGeneration ~= obj.metadata.generation then
  return health
end

local conditions = {}
for _, condition in ipairs(status.conditions) do
  conditions[condition.type] = condition
end

local ready = conditions["Ready"]
if ready == nil then
  return health
end
if ready.status == "True" then
  health.status = "Healthy"
elseif conditions["Stalled"] ~= nil and conditions["Stalled"].status == "True" then
  health.status = "Degraded" -- until a user acts
end
health.message = ready.reason .. ": " .. ready.message
return health
