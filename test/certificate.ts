// Certificates for test servers.

export { type Certificate as TestCertificate, selfSigned } from '../src/platform/certificates.ts'
