/** The definition that decides which changes of resources and tasks an open stream reports to its caller. */
import { mayAccessTask } from '../dispatch/access.ts'
import type { PublishedChange } from '../ports/change-bus.ts'
import { isListChangeKind } from '../ports/change-kinds.ts'
import type { TaskSnapshot } from '../ports/tasks.ts'
import { MODERN } from '../protocol/revisions.ts'
import type { DefinedExchange } from './exchange.ts'

export class StreamDefinition {
  readonly #exchange: DefinedExchange
  #present: Pick<DefinedExchange, 'auth' | 'dispatchers'>
  /** Counts the renewals, so that the last one stays. */
  #renewals = 0
  #renewed: Promise<void> = Promise.resolve()

  constructor(exchange: DefinedExchange) {
    this.#exchange = exchange
    this.#present = exchange
  }

  /** Resolves when the definition is that of all changes so far. Never rejects. */
  get renewed(): Promise<void> {
    return this.#renewed
  }

  mayRead(uri: string): boolean {
    const { auth, dispatchers } = this.#present
    const request = { method: 'resources/read', params: { uri } }
    return dispatchers.under(MODERN).resolve(request, auth).isAllowed
  }

  mayAccessTask(task: Pick<TaskSnapshot, 'access'>): boolean {
    const { auth, dispatchers } = this.#present
    return mayAccessTask(dispatchers.definition, task, auth)
  }

  /**
   * After a change of the lists of its subject alone, the caller is checked anew. Must be called before the
   * client receives the change, so that the request which follows finds the new definition in this isolate.
   */
  observe(changes: readonly PublishedChange[]): void {
    if (changes.some(({ change, isOwn }) => isOwn && isListChangeKind(change.kind)))
      this.#renewed = this.#renew(++this.#renewals)
  }

  async #renew(renewal: number): Promise<void> {
    const { endpoint, env, factoryParams: params, recheck, request } = this.#exchange
    try {
      const auth = await recheck?.()
      if (auth === undefined) return
      const dispatchers = await endpoint.deploymentOf(env).definitions.of({ auth, params, request })
      if (renewal === this.#renewals) this.#present = { auth, dispatchers }
    } catch (error) {
      // The stream keeps the earlier definition.
      endpoint.report({ type: 'internal-error', error })
    }
  }
}
