/** The parts of a window that a view uses. Structural types: the package needs no types of a DOM. */

export interface Root {
  readonly style: {
    colorScheme: string
    height: string
    setProperty(name: string, value: string): void
  }
  setAttribute(name: string, value: string): void
  getBoundingClientRect(): { readonly height: number }
}

export interface Frame {
  readonly parent: { postMessage(message: unknown, targetOrigin: string): void }
  readonly innerWidth: number
  readonly document: { readonly documentElement: Root; readonly body: object }
  readonly ResizeObserver: new (changed: () => void) => { observe(element: object): void }
  requestAnimationFrame(callback: () => void): unknown
  addEventListener(
    type: 'message',
    listener: (event: { readonly source: unknown; readonly data: unknown }) => void,
  ): void
}

/** Names a fault of the host in the console. */
export function warn(fault: string, seen: unknown): void {
  console.warn(`edgeway/view: ${fault}`, seen)
}

export type Members = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
