// Types for the part of tr46 (Unicode UTS 46) that is used here; the package has none.
declare module 'tr46' {
  interface Options {
    readonly checkHyphens?: boolean
    readonly checkBidi?: boolean
    readonly checkJoiners?: boolean
    readonly useSTD3ASCIIRules?: boolean
    readonly transitionalProcessing?: boolean
    readonly verifyDNSLength?: boolean
    readonly ignoreInvalidPunycode?: boolean
  }
  const tr46: {
    /** Returns null when the name is not valid. */
    toASCII(name: string, options?: Options): string | null
    toUnicode(name: string, options?: Options): { readonly domain: string; readonly error: boolean }
  }
  export default tr46
}
