package env

import "net"

// Address returns a TCP address of this machine that nobody listens on at the moment.
func Address() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
