/** The options of `asks()`, with their default values. */
import type { Deployment } from '../../dispatch/call.ts'
import { bound } from '../../feature/binding.ts'

export const DEFAULT_ASKS_OPTIONS = {
  /** Milliseconds that the client may take to answer an ask; afterwards it must send the request anew. Default 10 minutes. */
  answerTimeoutMs: 600_000,
}

export interface AsksOptions extends Partial<Readonly<typeof DEFAULT_ASKS_OPTIONS>> {}

/** The option of the app that serves a call. */
export const answerTimeoutMs = ({ extensions }: Pick<Deployment, 'extensions'>): number =>
  bound(extensions.rounds, 'An ask needs features: [asks()]').answerTimeoutMs
