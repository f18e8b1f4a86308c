// Serves other vendors' clients with our keys: translates their calls, and our answers and errors, and does nothing else.
// Fields without a meaning here are ignored. docs/guides/moving-from-another-provider.md says what happens to each field.

export { type VendorOptions, vendorEndpoints } from './routes.ts'
