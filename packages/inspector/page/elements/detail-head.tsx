/** The head of a selected item or exchange: its title, which gets the focus, and what closes it. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface DetailHeadProps {
  readonly title: ComponentChildren
  readonly onClose: () => void
  readonly children?: ComponentChildren
}

export function DetailHead({ title, onClose, children }: DetailHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  useEscape(onClose)
  return (
    <header class="detail-head">
      <button type="button" class="small back" onClick={onClose}>
        Close
      </button>
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </header>
  )
}

/** Calls a function when Escape is pressed outside of a field, where it belongs to the browser. */
function useEscape(onEscape: () => void): void {
  useEffect(() => {
    const onKeyDown = ({ key, target }: KeyboardEvent) => {
      const isField = target instanceof Element && target.matches('input, select, textarea')
      if (key === 'Escape' && !isField) onEscape()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [onEscape])
}
