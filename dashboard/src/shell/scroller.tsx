// A scrolling area that shows when there is more: such an edge fades out and has an arrow.

import { type ReactNode, useEffect, useRef, useState } from 'react'

/** Less than a line of text. */
const SLACK_PX = 8

interface Hidden {
  readonly above: boolean
  readonly below: boolean
}

/** In a column it takes the remaining height; on a phone its full length. */
export function Scroller({ children }: { readonly children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const [{ above, below }, setHidden] = useState<Hidden>({ above: false, below: false })
  useEffect(() => {
    const scrolled = frame.current
    const inner = content.current
    if (scrolled === null || inner === null) return
    const look = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = scrolled
      const now = { above: scrollTop > SLACK_PX, below: scrollHeight - clientHeight - scrollTop > SLACK_PX }
      setHidden((before) => (before.above === now.above && before.below === now.below ? before : now))
    }
    const sizes = new ResizeObserver(look)
    sizes.observe(scrolled)
    sizes.observe(inner)
    scrolled.addEventListener('scroll', look, { passive: true })
    return () => {
      sizes.disconnect()
      scrolled.removeEventListener('scroll', look)
    }
  }, [])
  return (
    <div className="relative flex flex-col lg:min-h-0 lg:flex-1">
      <div ref={frame} className="lg:scroll-py-8 lg:overflow-y-auto">
        <div ref={content}>{children}</div>
      </div>
      {above && <Edge at="top" />}
      {below && <Edge at="bottom" />}
    </div>
  )
}

const EDGES = {
  top: { look: 'top-0 items-start bg-linear-to-b', arrow: '▴', says: 'more above' },
  bottom: { look: 'bottom-0 items-end bg-linear-to-t', arrow: '▾', says: 'more below' },
}

/** Hidden from screen readers, which read all of the content. */
function Edge({ at }: { readonly at: 'top' | 'bottom' }) {
  const { look, arrow, says } = EDGES[at]
  return (
    <p
      aria-hidden="true"
      className={`pointer-events-none absolute inset-x-0 flex h-8 justify-center from-paper from-40% to-transparent text-xs text-quiet max-lg:hidden ${look}`}
    >
      {arrow} {says}
    </p>
  )
}
