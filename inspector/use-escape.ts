/** Calls a function when Escape is pressed outside of a field, where it belongs to the browser. */
import { useEffect } from 'preact/hooks'

export function useEscape(onEscape: () => void): void {
  useEffect(() => {
    const onKeyDown = ({ key, target }: KeyboardEvent) => {
      const isField = target instanceof Element && target.matches('input, select, textarea')
      if (key === 'Escape' && !isField) onEscape()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [onEscape])
}
