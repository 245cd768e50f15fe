/** A note in a colour of its severity, and the states of a view that has nothing to show. */
import type { ComponentChildren } from 'preact'
import type { Reading } from '../use-reading.ts'
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

/** The state of a value that is read: that it loads, or why it could not be read. */
export function ReadingState({ value, problem, refresh }: Reading<unknown>) {
  if (problem !== undefined) return <Failed problem={problem} retry={refresh} />
  return value === undefined ? <p class="quiet">Loading…</p> : null
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
