import { mcp, type RequirementDocument } from './requirement.ts'

export const meta: RequirementDocument = {
  title: 'Base protocol: _meta',
  pages: [
    ...mcp('basic', '2025-06-18', '2025-11-25', '2026-07-28'),
    ...mcp('schema', '2026-07-28'),
    ...mcp('basic/patterns/mrtr', '2026-07-28'),
    ...mcp('server/prompts', '2026-07-28'),
    ...mcp('server/resources', '2026-07-28'),
    ...mcp('server/tools', '2026-07-28'),
    ...mcp('server/utilities/completion', '2026-07-28'),
    ...mcp('server/utilities/pagination', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'reserved-keys-are-not-assumed',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic#_meta', '2025-06-18', '2025-11-25', '2026-07-28'),
        ...mcp('schema#metaobject', '2026-07-28'),
      ],
      says: 'The server makes no assumptions about values of the reserved keys.',
      tests: [
        'test/transport/modern-ladder.test.ts > a modern request with tolerated deviations > is served as that of an unnamed client and reported, with clientInfo %j',
        'test/dispatch/handlers.test.ts > the handler context > has no trace from %j',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > a progress token that is an object',
        'test/protocol/codec/modern.test.ts > a result of the modern codec > is written %s > with a server info of the author that is no object',
      ],
    },
    {
      id: 'prefix-format',
      level: 'MUST',
      clauses: [
        ...mcp('basic#_meta', '2025-06-18', '2025-11-25', '2026-07-28'),
        ...mcp('schema#metaobject', '2026-07-28'),
      ],
      says: 'The prefix of a key is a series of labels, separated by dots and followed by a slash.',
      concerns: 'author',
    },
    {
      id: 'label-format',
      level: 'MUST',
      clauses: [
        ...mcp('basic#_meta', '2025-06-18', '2025-11-25', '2026-07-28'),
        ...mcp('schema#metaobject', '2026-07-28'),
      ],
      says: 'A label of a prefix starts with a letter and ends with a letter or a digit.',
      concerns: 'author',
    },
    {
      id: 'name-format',
      level: 'MUST',
      clauses: [
        ...mcp('basic#_meta', '2025-06-18', '2025-11-25', '2026-07-28'),
        ...mcp('schema#metaobject', '2026-07-28'),
      ],
      says: 'The name of a key starts and ends with a letter or a digit, unless it is empty.',
      concerns: 'author',
    },
    {
      id: 'required-fields',
      level: 'MUST',
      clauses: [
        ...mcp('basic#_meta', '2026-07-28'),
        ...mcp('basic/patterns/mrtr', '2026-07-28'),
        ...mcp('server/prompts', '2026-07-28'),
        ...mcp('server/resources', '2026-07-28'),
        ...mcp('server/tools', '2026-07-28'),
        ...mcp('server/utilities/completion', '2026-07-28'),
        ...mcp('server/utilities/pagination', '2026-07-28'),
      ],
      says: 'The client sends the required fields with every request.',
      concerns: 'client',
      tests: [
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > _meta without a version',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses a body without _meta when the version header is modern',
      ],
    },
    {
      id: 'missing-field-is-refused',
      level: 'MUST',
      clauses: [...mcp('basic#_meta', '2026-07-28')],
      says: 'The server refuses a request without a required field with code -32602, and over HTTP with status 400.',
      tests: [
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > _meta without a version',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > _meta without capabilities',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses a body without _meta when the version header is modern',
      ],
    },
    {
      id: 'undeclared-capabilities-are-not-used',
      level: 'MUST NOT',
      clauses: [...mcp('basic#_meta', '2026-07-28')],
      says: 'The server uses no capability that the client did not declare.',
      tests: [
        'test/dispatch/journal/asking-refused.test.ts > an ask that the client cannot answer > is answered with the missing capability: %s',
        'test/clients/refused-rounds.test.ts > a client with limited capabilities > receives only asks that it can answer: $keys',
        'test/clients/refused-rounds.test.ts > a client with limited capabilities > receives no ask in %s mode when it has no capability',
      ],
    },
    {
      id: 'missing-capability-is-named',
      level: 'MUST',
      clauses: [
        ...mcp('basic#_meta', '2026-07-28'),
        ...mcp('schema#headermismatcherror', '2026-07-28'),
        ...mcp('schema#unsupportedprotocolversionerror', '2026-07-28'),
        ...mcp('schema#missingrequiredclientcapabilityerror', '2026-07-28'),
      ],
      says: 'The server refuses a request that needs an undeclared capability with code -32021, the list of missing capabilities, and over HTTP status 400.',
      tests: [
        'test/dispatch/journal/asking-refused.test.ts > an ask that the client cannot answer > is answered with the missing capability: %s',
        'test/clients/refused-rounds.test.ts > a client with limited capabilities > receives the missing capability when it has $capabilities and calls $tool',
        'test/conformance/suite.test.ts > the server scenarios of %s > include %s, which passes > capability-check',
      ],
    },
    {
      id: 'subscription-id',
      level: 'MUST',
      clauses: [
        ...mcp('basic#_meta', '2026-07-28'),
        ...mcp('schema#notificationmetaobject-iomodelcontextprotocolsubscriptionid', '2026-07-28'),
      ],
      says: 'The server writes the id of its subscription into every notification of a subscription.',
      tests: [
        'test/transport/listen.test.ts > subscriptions/listen over %s > echoes the request id %j in every message',
        'test/transport/listen.test.ts > subscriptions/listen over %s > acknowledges the filter and then sends each requested change once, in order',
      ],
    },
    {
      id: 'trace-context-format',
      level: 'MUST',
      clauses: [...mcp('basic#_meta', '2026-07-28')],
      says: 'The values of the trace context keys have the formats of W3C.',
      concerns: 'client',
      tests: [
        'test/dispatch/handlers.test.ts > the handler context > has no trace from %j',
        'test/dispatch/handlers.test.ts > the handler context > describes the call to the handler and can be destructured',
      ],
    },
  ],
}
