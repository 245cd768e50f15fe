/** Bounds the logs of the streams of a session that have ended. */
import type { SessionStorage } from './session-storage.ts'

interface EndedLog {
  readonly id: string
  readonly size: number
}

export class EndedLogs {
  readonly #storage: SessionStorage
  readonly #maxSize: number
  readonly #deleteLog: (stream: string) => void
  /** Size of all ended logs; undefined until the first use. */
  #size: number | undefined

  /** @param maxSize of all together, in UTF-16 code units */
  constructor(storage: SessionStorage, maxSize: number, deleteLog: (stream: string) => void) {
    this.#storage = storage
    this.#maxSize = maxSize
    this.#deleteLog = deleteLog
  }

  /** Counts a log that is about to end. */
  add(size: number): void {
    this.#size = this.#total + size
  }

  /** Deletes the oldest ended logs until the rest fits the limit. The newest one always stays. */
  deleteExcess(): void {
    if (this.#total <= this.#maxSize) return
    for (const ended of this.#storage.statements.endedStreams().slice(0, -1)) {
      if (this.#total <= this.#maxSize) return
      this.delete(ended)
    }
  }

  delete({ id, size }: EndedLog): void {
    this.#size = this.#total - size
    this.#deleteLog(id)
  }

  get #total(): number {
    return this.#size ?? this.#storage.statements.endedSize()
  }
}
