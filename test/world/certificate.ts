// Certificates for test servers.

export { type Certificate as TestCertificate, selfSigned } from '../../src/platform/network/certificates.ts'
