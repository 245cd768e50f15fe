/** The options of `asks()`, with their default values. */
import type { Deployment } from '../../dispatch/call.ts'
import { bound } from '../../feature/binding.ts'

export const DEFAULT_ASKS_OPTIONS = {
  /** Milliseconds that the client may take to answer an ask; afterwards it must send the request anew. Default 10 minutes. */
  answerTimeoutMs: 600_000,
}

export interface AsksOptions extends Partial<Readonly<typeof DEFAULT_ASKS_OPTIONS>> {
  /**
   * Whether the model of a client that cannot be asked may put the forms of tools with `readOnlyHint: true` or
   * `destructiveHint: false` to its person, and pass on the answers. A tool and a question say otherwise by their own
   * `throughModel`. URLs, sampling and roots never go this way. It needs `tasks()`, and adds the tool `answer_question` for
   * these clients. Default false.
   */
  readonly throughModel?: boolean
}

/** The option of the app that serves a call. */
export const answerTimeoutMs = ({ extensions }: Pick<Deployment, 'extensions'>): number =>
  bound(extensions.rounds, 'An ask needs features: [asks()]').answerTimeoutMs
