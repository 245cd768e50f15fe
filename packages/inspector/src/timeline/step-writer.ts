/** Stores the steps of one environment in batches after the responses, while requests are recorded. */
import type { StoredStep, TimelineStep, TimelineStore } from '../objects/log/port.ts'
import { BatchWriter } from './batch-writer.ts'
import { createDigest, type Digest, shareOf } from './digests.ts'

/** An isolate learns of the owner's switch at most this late. */
const LOOK_INTERVAL_MS = 30_000

/** The steps of an isolate that wait to be stored. A step has at most 8,192 characters. */
const BOUNDS = {
  entries: 500,
  characters: 500 * 8_192,
  textOf: ({ step }: StoredStep) => step,
}

export class StepWriter {
  readonly #store: TimelineStore
  readonly #share: number
  readonly #writer: BatchWriter<StoredStep>
  #until = 0
  #lookAt = 0
  #key: string | undefined
  #digest: Digest | undefined

  /** @param share of the connections that are recorded, from 0 to 1 */
  constructor(store: TimelineStore, share: number) {
    this.#store = store
    this.#share = share
    this.#writer = new BatchWriter((steps) => store.append(steps), BOUNDS)
  }

  /** Whether requests of production are recorded, or it is time to look whether they are. */
  isOn(now: number): boolean {
    return now < this.#until || now >= this.#lookAt
  }

  /** The switch was changed here. */
  look(): void {
    this.#lookAt = 0
    this.#until = 0
  }

  /** Never rejects: the timeline is a convenience, and without it the request was served all the same. */
  async write(
    isDevelopment: boolean,
    toStep: (digest: Digest) => Promise<TimelineStep>,
  ): Promise<void> {
    try {
      const digest = await this.#open(isDevelopment)
      if (digest === undefined) return
      const step = await toStep(digest)
      const origin = `${step.network} ${step.software}`
      if (shareOf(await digest('sample', origin)) >= this.#share) return
      const isCall = step.kind === 'endpoint' && step.status < 300 && step.events.length === 0
      this.#writer.add({ at: step.at, origin, isCall, step: JSON.stringify(step) })
      await this.#writer.flush()
    } catch {
      // As above.
    }
  }

  /** Undefined while production is not recorded. */
  async #open(isDevelopment: boolean): Promise<Digest | undefined> {
    const now = Date.now()
    if (isDevelopment ? this.#digest === undefined : now >= this.#lookAt) {
      // Set first, so that the requests that follow do not all ask.
      this.#lookAt = now + LOOK_INTERVAL_MS
      const { key, until } = await this.#store.settings(isDevelopment)
      this.#until = until
      if (key !== this.#key) {
        this.#key = key
        this.#digest = key === undefined ? undefined : createDigest(key)
      }
    }
    return isDevelopment || now < this.#until ? this.#digest : undefined
  }
}
