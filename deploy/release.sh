#!/usr/bin/env bash
# Writes the addresses of a release into a checkout, which has none: where the documents, the icon and the image are.
#   deploy/release.sh https://github.com/<owner>/<repository> v0.1.0 ghcr.io/<owner>/<repository>
set -euo pipefail
repository=$1 tag=$2 image=$3
cd "$(dirname "${BASH_SOURCE[0]}")/.."
documents=$repository/blob/$tag/docs chart=deploy/charts/projection

cat >> $chart/Chart.yaml <<END
  artifacthub.io/images: |
    - name: operator
      image: $image:$tag
      platforms: [linux/amd64, linux/arm64]
  artifacthub.io/links: |
    - name: Documents
      url: $documents/README.md
    - name: Changes
      url: $repository/blob/$tag/CHANGELOG.md
    - name: Support
      url: $repository/issues
home: $repository
sources: [$repository]
icon: $repository/raw/$tag/deploy/icon.svg
END
sed -i \
  -e "s|^documentation: docs$|documentation: $documents|" \
  -e "s|^  repository: projection.sh/operator$|  repository: $image|" $chart/values.yaml
sed -i "s|runbook_url: docs/|runbook_url: $documents/|" $chart/files/alerts.yaml config/prometheus/rule.yaml
sed -i "s|^    support: |    repository: $repository\n&|" config/olm/base.yaml
