/** Copies a text, and says so. */
import { useEffect, useState } from 'preact/hooks'
import { SmallButton } from './small-button.tsx'

export function CopyButton({
  text,
  label,
}: {
  readonly text: () => string
  readonly label: string
}) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), 2000)
    return () => clearTimeout(timer)
  }, [state])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text())
      setState('copied')
    } catch {
      // The browser has no clipboard for this page, or the person has denied it.
      setState('refused')
    }
  }
  return (
    <SmallButton onClick={() => void copy()}>
      {state === 'copied' ? 'Copied' : state === 'refused' ? 'Not allowed' : 'Copy'}
      <span class="hidden"> {label}</span>
    </SmallButton>
  )
}
