/** Plays the stream of traffic, in the place of the browser's `EventSource`. */
import { act } from '@testing-library/preact'
import { vi } from 'vitest'
import type { TrafficEntry } from '../../../page/traffic/entry.ts'

export class PlayedStream {
  static readonly CLOSED = 2
  static opened: PlayedStream[] = []

  readonly url: string
  readyState = 0
  onopen?: () => void
  onmessage?: (event: { readonly data: string }) => void
  onerror?: () => void

  constructor(url: string) {
    this.url = url
    PlayedStream.opened.push(this)
  }

  static get last(): PlayedStream {
    const stream = PlayedStream.opened.at(-1)
    if (stream === undefined) throw new Error('The page has opened no stream')
    return stream
  }

  open(): void {
    this.readyState = 1
    act(() => this.onopen?.())
  }

  send(...entries: readonly TrafficEntry[]): void {
    for (const entry of entries) this.onmessage?.({ data: JSON.stringify(entry) })
  }

  /** The connection ends. */
  fail(): void {
    act(() => this.onerror?.())
  }

  close(): void {
    this.readyState = PlayedStream.CLOSED
  }
}

export function playStream(): void {
  PlayedStream.opened = []
  vi.stubGlobal('EventSource', PlayedStream)
}
