import { mcp, type RequirementDocument } from './requirement.ts'

export const statelessness: RequirementDocument = {
  title: 'Base protocol: statelessness',
  pages: [
    ...mcp('basic', '2026-07-28'),
    ...mcp('schema', '2026-07-28'),
    ...mcp('basic/patterns', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'no-context-of-earlier-requests',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic#statelessness', '2026-07-28'),
        ...mcp('schema#requestmetaobject-iomodelcontextprotocolclientcapabilities', '2026-07-28'),
      ],
      says: 'The server takes version, capabilities and identity of the client from each request, never from an earlier one.',
      tests: [
        'test/dispatch/journal/asking-refused.test.ts > an ask that the client cannot answer > is refused without its capability, although an earlier request declared it',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > _meta without capabilities',
        'test/clients/refused-rounds.test.ts > requestState > is accepted on another connection',
        'test/transport/modern-ladder.test.ts > a modern request with tolerated deviations > is served with a session id and a last event id, which are ignored',
      ],
    },
    {
      id: 'state-has-an-identifier',
      level: 'MUST',
      clauses: [...mcp('basic#statelessness', '2026-07-28')],
      says: 'State that several requests use has an identifier that the client sends with each of them.',
      concerns: 'author',
      tests: [
        'test/clients/tools.test.ts > a client in %s mode > can store a value on the server and read it by its handle',
        'test/clients/auth/principals.test.ts > a state handle of one person is unknown to another',
        'test/durable-objects/state/handles.test.ts > a state handle > finds its value in other calls of the same caller',
      ],
    },
    {
      id: 'server-sends-no-requests',
      level: 'MUST NOT',
      clauses: [...mcp('basic/patterns', '2026-07-28')],
      says: 'The server sends no requests to a modern client.',
      tests: [
        'test/dispatch/journal/asking.test.ts > a handler with one ask > is answered with the question, and the next round runs it with the answer',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses a response',
        'test/conformance/suite.test.ts > the server scenarios of %s > include %s, which passes > server-stateless',
      ],
    },
  ],
}
