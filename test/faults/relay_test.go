package faults_test

import (
	"bufio"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/faults"
)

// echo is a server that answers each line with its own name and the line.
func echo(t *testing.T, name string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				for lines := bufio.NewScanner(connection); lines.Scan(); {
					_, _ = connection.Write([]byte(name + " " + lines.Text() + "\n"))
				}
				_ = connection.Close()
			}()
		}
	}()
	return listener.Addr().String()
}

func TestRelay(t *testing.T) {
	one, two := echo(t, "one"), echo(t, "two")
	relay, err := faults.NewRelay(one)
	require.NoError(t, err)
	defer relay.Close()
	dial := func() (net.Conn, *bufio.Reader) {
		connection, err := net.Dial("tcp", relay.Address())
		require.NoError(t, err)
		t.Cleanup(func() { _ = connection.Close() })
		return connection, bufio.NewReader(connection)
	}
	connection, answers := dial()
	ask := func(text string) {
		_, err := connection.Write([]byte(text + "\n"))
		require.NoError(t, err)
	}
	answer := func() string {
		line, err := answers.ReadString('\n')
		require.NoError(t, err)
		return line
	}
	ask("a")
	assert.Equal(t, "one a\n", answer())

	relay.Stall()
	ask("b")
	require.NoError(t, connection.SetReadDeadline(time.Now().Add(100*time.Millisecond)))
	_, err = answers.ReadString('\n')
	var timeout net.Error
	require.ErrorAs(t, err, &timeout)
	assert.True(t, timeout.Timeout(), "the connection is open, and nothing comes")
	require.NoError(t, connection.SetReadDeadline(time.Time{}))
	relay.Resume()
	assert.Equal(t, "one b\n", answer())

	relay.Switch(two)
	_, err = answers.ReadString('\n')
	require.Error(t, err, "it is broken")
	connection, answers = dial()
	ask("c")
	assert.Equal(t, "two c\n", answer())
}
