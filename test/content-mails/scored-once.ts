import type { Mail } from './layout.ts'
export const SCORED_ONCE: { readonly legitimate: readonly Mail[]; readonly fraudulent: readonly Mail[] } = {
  legitimate: [],
  fraudulent: [],
}
