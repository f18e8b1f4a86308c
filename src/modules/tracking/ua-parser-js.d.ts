declare module 'ua-parser-js' {
  export function UAParser(userAgent: string): {
    readonly browser: { readonly name: string | undefined }
    readonly device: { readonly type: string | undefined }
    readonly os: { readonly name: string | undefined }
  }
}
