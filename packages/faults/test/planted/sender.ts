/** How a sender of events differs from a correct one. */
export interface SenderDefects {
  readonly challenge?: (sent: Sent) => Partial<Sent>
  readonly checksEcho?: boolean
  readonly delivery?: (sent: Sent) => Partial<Sent>
  readonly deliversAfterEnd?: boolean
  /** Whether nothing ever occurs. */
  readonly isSilent?: boolean
  readonly skipsChallenge?: boolean
  /** Whether callbacks on this computer are refused, as they are in production. */
  readonly refusesLocal?: boolean
  /** Whether it connects to a callback before it refuses it. */
  readonly connects?: boolean
}

/** What is signed and sent. */
export interface Sent {
  readonly id: string
  readonly timestamp: number
  readonly body: string
  readonly key: Uint8Array
  readonly contentType: string
  readonly subscription: string
}
