/** A list of links that is one stop of the Tab key: arrow keys, Home and End move within it. */
import type { ComponentChildren } from 'preact'

interface ArrowListProps {
  readonly label: string
  readonly class?: string
  readonly children: ComponentChildren
}

const MOVES: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowDown: (index, count) => Math.min(index + 1, count - 1),
  ArrowUp: (index) => Math.max(index - 1, 0),
  Home: () => 0,
  End: (_, count) => count - 1,
}

export function ArrowList({ label, class: name = '', children }: ArrowListProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    const move = MOVES[event.key]
    const list = event.currentTarget as HTMLElement
    if (move === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    const links = [...list.querySelectorAll<HTMLElement>('a')]
    const index = links.indexOf(document.activeElement as HTMLElement)
    if (index === -1) return
    event.preventDefault()
    links[move(index, links.length)]?.focus()
  }
  return (
    <nav aria-label={label} onKeyDown={onKeyDown}>
      <ul class={`rows ${name}`}>{children}</ul>
    </nav>
  )
}
