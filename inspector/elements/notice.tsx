/** A note in a colour of its severity, and the states of a view that has nothing to show. */
import type { ComponentChildren } from 'preact'
import { SmallButton } from './small-button.tsx'

interface NoticeProps {
  readonly kind?: 'plain' | 'good' | 'warn' | 'bad'
  readonly title?: string
  readonly children?: ComponentChildren
}

export function Notice({ kind = 'plain', title, children }: NoticeProps) {
  return (
    <div class={`notice ${kind}`}>
      {title !== undefined && <strong>{title}</strong>}
      {children}
    </div>
  )
}

/** @param advice what the person can do */
export function Empty({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}

/** A failed read, with a button that repeats it. */
export function Failed({
  problem,
  retry,
}: {
  readonly problem: string
  readonly retry: () => void
}) {
  return (
    <Notice kind="bad" title="This could not be read">
      <p>{problem}</p>
      <SmallButton onClick={retry}>Try again</SmallButton>
    </Notice>
  )
}
