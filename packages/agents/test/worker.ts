/** The Worker of the moved agents. It exports their classes and the objects of Edgeway. */
import { objectsOf } from '../../../src/index.ts'
import { Accounts } from './servers/accounts.ts'
import { Faulty, Forgetful, Notes, OtherNotes, Verified } from './servers/attacked.ts'
import { Calculator as CalculatorAgent } from './servers/calculator.ts'
import { Counter } from './servers/counter.ts'
import { Greeter } from './servers/greeter.ts'
import { Members } from './servers/members.ts'
import { Todos } from './servers/todos.ts'

export {
  Accounts,
  Counter,
  Faulty,
  Forgetful,
  Greeter,
  Members,
  Notes,
  OtherNotes,
  Todos,
  Verified,
}

/** The class of the calculator as `wrangler dev` wraps it: a subclass whose constructor reads the id. */
export class Calculator extends CalculatorAgent {
  readonly objectName: string | undefined

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    this.objectName = ctx.id.name
  }
}

export class McpObjects extends objectsOf(
  CalculatorAgent.serve('/mcp'),
  ...Object.entries({
    ...{ ACCOUNTS: Accounts, COUNTER: Counter, FAULTY: Faulty, FORGETFUL: Forgetful },
    ...{ GREETER: Greeter, MEMBERS: Members, NOTES: Notes, OTHER_NOTES: OtherNotes },
    ...{ TODOS: Todos, VERIFIED: Verified },
  }).map(([binding, agent]) => agent.serve('/mcp', { binding })),
) {}

export default { fetch: () => new Response(null, { status: 404 }) }
