/** Answers requests of the global `fetch` in the process of a test, in place of the network. */

export interface Host {
  answers(url: string): boolean
  fetch(request: Request): Promise<Response>
}

/** The hosts that the global `fetch` reaches. */
const HOSTS = new Set<Host>()

let earlierFetch = globalThis.fetch

/** Answers what is sent to the host, until {@link removeHost}. All other requests go where they went. */
export function addHost(host: Host): void {
  if (HOSTS.size === 0) replaceFetch()
  HOSTS.add(host)
}

export function removeHost(host: Host): void {
  if (HOSTS.delete(host) && HOSTS.size === 0) globalThis.fetch = earlierFetch
}

function replaceFetch(): void {
  earlierFetch = globalThis.fetch
  const routed = async (...[input, init]: Parameters<typeof fetch>) => {
    const url = input instanceof Request ? input.url : String(input)
    const host = [...HOSTS].findLast((one) => one.answers(url))
    return host?.fetch(new Request(input, init)) ?? earlierFetch(input, init)
  }
  globalThis.fetch = routed as typeof fetch
}

const LOOK_MS = 5

/**
 * Waits before the next look at what another request changes. That request resolves no promise of this one: in workerd each
 * belongs to a context of its own, which the runtime does not let the other enter.
 */
export const look = () => new Promise((resolve) => setTimeout(resolve, LOOK_MS))

/** The answer that is next: each is given once, and the last one for all later requests. */
export class ScriptedQueue<Answer> {
  #answers: readonly Answer[]

  constructor(...answers: readonly Answer[]) {
    this.#answers = answers
  }

  next(): Answer | undefined {
    const [answer, ...later] = this.#answers
    if (later.length > 0) this.#answers = later
    return answer
  }
}
