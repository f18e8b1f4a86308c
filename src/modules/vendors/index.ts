// Other vendors' clients, with a key of ours: their calls in, their answers and errors out, and nothing but a translation
// between. Fields that have no meaning here are ignored. docs/guides/moving-from-another-provider.md says what becomes of
// each field.

export { type VendorOptions, vendorEndpoints } from './routes.ts'
