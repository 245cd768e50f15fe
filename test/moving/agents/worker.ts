/** The Worker of the moved agents. It exports their classes and the objects of Edgeway. */
import { Calculator as CalculatorAgent } from './servers/calculator.ts'

export { McpHub, McpKeyring } from '../../../src/agents/index.ts'
export { Accounts } from './servers/accounts.ts'
export { Faulty, Forgetful, Notes, OtherNotes, Verified } from './servers/attacked.ts'
export { Counter } from './servers/counter.ts'
export { Greeter } from './servers/greeter.ts'
export { Members } from './servers/members.ts'
export { Todos } from './servers/todos.ts'

/** The class of the calculator as `wrangler dev` wraps it: a subclass whose constructor reads the id. */
export class Calculator extends CalculatorAgent {
  readonly objectName: string | undefined

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    this.objectName = ctx.id.name
  }
}

export default { fetch: () => new Response(null, { status: 404 }) }
