/** The Worker of the moved agents. It exports their classes and the objects of Edgeway. */
export { McpHub, McpKeyring } from '../../../src/agents/index.ts'
export { Accounts } from './servers/accounts.ts'
export { Faulty, Forgetful, Notes, OtherNotes, Verified } from './servers/attacked.ts'
export { Calculator } from './servers/calculator.ts'
export { Counter } from './servers/counter.ts'
export { Greeter } from './servers/greeter.ts'
export { Members } from './servers/members.ts'
export { Todos } from './servers/todos.ts'

export default { fetch: () => new Response(null, { status: 404 }) }
