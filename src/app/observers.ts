/** The observers of one request as one. None of them can fail the request. */
import type { RequestObserver } from '../ports/request-observer.ts'
import type { SessionClaims } from '../ports/session-claims.ts'
import type { TelemetryEvent } from '../ports/telemetry.ts'

export class Observers implements RequestObserver {
  readonly #observers: readonly RequestObserver[]

  constructor(observers: readonly RequestObserver[]) {
    this.#observers = observers
  }

  get receivesSpans(): boolean {
    return this.#observers.some(({ receivesSpans }) => receivesSpans)
  }

  received(body: unknown): void {
    this.#each((observer) => observer.received(body))
  }

  identified(clientId: string, subject?: string): void {
    this.#each((observer) => observer.identified(clientId, subject))
  }

  reported(event: TelemetryEvent): void {
    this.#each((observer) => observer.reported(event))
  }

  answered(response: Response, isStream: boolean): void {
    this.#each((observer) => observer.answered(response, isStream))
  }

  inSession(session: string, claims: SessionClaims): void {
    this.#each((observer) => observer.inSession?.(session, claims))
  }

  sent(json: string, eventId: string | undefined): void {
    this.#each((observer) => observer.sent?.(json, eventId))
  }

  ended(): void {
    this.#each((observer) => observer.ended?.())
  }

  #each(call: (observer: RequestObserver) => void): void {
    for (const observer of this.#observers) {
      try {
        call(observer)
      } catch {
        // Observers are a convenience. The request is served all the same.
      }
    }
  }
}
