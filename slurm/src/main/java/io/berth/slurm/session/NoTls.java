package io.berth.slurm.session;

import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/// What a client of plain connections has instead of TLS, and cannot encrypt anything by. The JDK's
/// client makes TLS ready whatever it connects to, and reads the certificates of all whom this
/// machine trusts: a third of the time of a command that is there for one connection.
final class NoTls extends SSLContext {

    NoTls() {
        super(new Refusing(), null, "none");
    }

    private static final class Refusing extends SSLContextSpi {

        @Override
        protected SSLParameters engineGetDefaultSSLParameters() {
            return new SSLParameters();
        }

        @Override
        protected SSLParameters engineGetSupportedSSLParameters() {
            return new SSLParameters();
        }

        @Override
        protected void engineInit(KeyManager[] keys, TrustManager[] trusted, SecureRandom random) {
            throw plain();
        }

        @Override
        protected SSLSocketFactory engineGetSocketFactory() {
            throw plain();
        }

        @Override
        protected SSLServerSocketFactory engineGetServerSocketFactory() {
            throw plain();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine() {
            throw plain();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine(String host, int port) {
            throw plain();
        }

        @Override
        protected SSLSessionContext engineGetServerSessionContext() {
            throw plain();
        }

        @Override
        protected SSLSessionContext engineGetClientSessionContext() {
            throw plain();
        }

        private static UnsupportedOperationException plain() {
            return new UnsupportedOperationException("a client of plain connections has no TLS");
        }
    }
}
