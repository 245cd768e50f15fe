/** A window that stands in for the frame of a view: its parent is a host, which alone receives and sends messages. */

interface TestWindow {
  parent: unknown
  addEventListener: (type: string, listener: Listener, options?: unknown) => void
  ResizeObserver?: unknown
}

type Listener = (event: object) => void

export interface PlayedFrame {
  /** Delivers a message to the view. */
  post(message: object): void
  /** Removes what the view listens with, and restores the window. */
  close(): void
}

/** @throws {TypeError} where there is no DOM */
export function openFrame(receive: (message: unknown) => void): PlayedFrame {
  const { window } = globalThis as unknown as { readonly window?: TestWindow }
  if (window === undefined) {
    throw new TypeError(
      'openView() needs a DOM: install happy-dom, and begin the file with "// @vitest-environment happy-dom"',
    )
  }
  const parent = {
    postMessage(message: unknown) {
      // A browser copies messages, and refuses functions and elements.
      const data = structuredClone(message)
      queueMicrotask(() => receive(data))
    },
  }
  const listeners = new Set<Listener>()
  const { addEventListener } = window
  const restored = replaceMembers(window, {
    parent,
    // A view that was closed would take the messages of the next one.
    addEventListener(type: string, listener: Listener, options?: unknown) {
      if (type === 'message') listeners.add(listener)
      else addEventListener.call(window, type, listener, options)
    },
    // jsdom has none.
    ResizeObserver:
      window.ResizeObserver ??
      class {
        observe() {}
      },
  })
  return {
    post(message) {
      const data = structuredClone(message)
      queueMicrotask(() => {
        for (const listener of listeners) {
          listener(Object.assign(new Event('message'), { source: parent, data }))
        }
      })
    },
    close() {
      listeners.clear()
      restored()
    },
  }
}

/** @returns a function that restores them */
function replaceMembers(target: object, members: object): () => void {
  const before = Object.keys(members).map(
    (name) => [name, Object.getOwnPropertyDescriptor(target, name)] as const,
  )
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(target, name, { value, configurable: true, writable: true })
  }
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(target, name)
      else Object.defineProperty(target, name, descriptor)
    }
  }
}
