import { mcp, type RequirementDocument } from './requirement.ts'

export const mrtr: RequirementDocument = {
  title: 'Multi round-trip requests',
  pages: [
    ...mcp('basic/patterns/mrtr', '2026-07-28'),
    ...mcp('schema', '2026-07-28'),
    ...mcp('server/tools', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'asks-are-input-requests',
      level: 'MUST',
      clauses: [...mcp('basic/patterns/mrtr', '2026-07-28')],
      says: 'The server sends its requests to the client as input requests in a result.',
      tests: [
        'test/dispatch/journal/asking.test.ts > a handler with one ask > is answered with the question, and the next round runs it with the answer',
        'test/dispatch/journal/asking.test.ts > a handler with several asks > sends questions of any kind together when they are asked together',
        'test/conformance/suite.test.ts > the server scenarios of %s > include %s, which passes > basic-elicitation',
      ],
    },
    {
      id: 'state-is-opaque',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic/patterns/mrtr#inputrequiredresult', '2026-07-28'),
        ...mcp('basic/patterns/mrtr#client-requirements-basic-workflow', '2026-07-28'),
      ],
      says: 'The client does not read or change the requestState.',
      concerns: 'client',
      tests: [
        'test/dispatch/journal/request-state.test.ts > an invalid requestState > is rejected when any byte is changed',
      ],
    },
    {
      id: 'supported-requests',
      level: 'MUST NOT',
      clauses: [...mcp('basic/patterns/mrtr#supported-requests', '2026-07-28')],
      says: 'The server answers with input requests to tools/call, prompts/get and resources/read only.',
      tests: [
        'test/dispatch/journal/asking.test.ts > a handler with one ask > may be a prompt or a resource',
        'test/conformance/suite.test.ts > the server scenarios of %s > include %s, which passes > unsupported-methods',
      ],
    },
    {
      id: 'keys-are-unique',
      level: 'MUST',
      clauses: [...mcp('basic/patterns/mrtr#server-requirements-basic-workflow', '2026-07-28')],
      says: 'Each key of inputRequests is unique in its request.',
      tests: [
        'test/dispatch/journal/steps.test.ts > ctx.step > rejects %s > two asks with the same key',
        'test/dispatch/journal/asking.test.ts > a handler with several asks > sends questions of any kind together when they are asked together',
      ],
    },
    {
      id: 'kinds-of-input-requests',
      level: 'MUST',
      clauses: [...mcp('basic/patterns/mrtr#server-requirements-basic-workflow', '2026-07-28')],
      says: 'An input request is an elicitation, a sampling request or a roots request.',
      tests: [
        'test/dispatch/journal/asking.test.ts > a handler with several asks > sends questions of any kind together when they are asked together',
        'test/conformance/suite.test.ts > the server scenarios of %s > include %s, which passes > multiple-input-requests',
      ],
    },
    {
      id: 'state-is-untrusted',
      level: 'MUST',
      clauses: [
        ...mcp('basic/patterns/mrtr#server-requirements-basic-workflow', '2026-07-28'),
        ...mcp('basic/patterns/mrtr#security-considerations', '2026-07-28'),
      ],
      says: 'The server treats the requestState as input of an attacker.',
      tests: [
        'test/dispatch/journal/request-state.test.ts > an invalid requestState > is rejected when it is %s',
        'test/dispatch/journal/request-state.test.ts > an invalid requestState > is rejected when any byte is changed',
        'test/attacks/asking.test.ts > requestState > is refused when it is %s',
      ],
    },
    {
      id: 'state-integrity',
      level: 'MUST',
      clauses: [...mcp('basic/patterns/mrtr#server-requirements-basic-workflow', '2026-07-28')],
      says: 'The server protects the integrity of the requestState.',
      tests: [
        'test/dispatch/journal/request-state.test.ts > an invalid requestState > is rejected for another tool, method, arguments or server',
        'test/dispatch/journal/request-state.test.ts > an invalid requestState > is rejected under another key and without a key',
        'test/clients/auth/principals.test.ts > the input state of a modern request > is rejected from another person or app and at another resource',
      ],
    },
    {
      id: 'invalid-state-is-refused',
      level: 'MUST',
      clauses: [...mcp('basic/patterns/mrtr#server-requirements-basic-workflow', '2026-07-28')],
      says: 'The server refuses a requestState that fails verification.',
      tests: [
        'test/dispatch/journal/request-state.test.ts > an invalid requestState > is rejected when any byte is changed',
        'test/dispatch/journal/request-state.test.ts > an invalid requestState > is rejected when it is truncated, extended or repeated',
        'test/dispatch/journal/request-state.test.ts > an invalid requestState > is rejected after it expired and before it was issued',
      ],
    },
    {
      id: 'single-use-state',
      level: 'MUST',
      clauses: [...mcp('basic/patterns/mrtr#server-requirements-basic-workflow', '2026-07-28')],
      says: 'The server enforces that a single-use requestState is redeemed once.',
      tests: [
        'test/dispatch/journal/request-state.test.ts > a single-use requestState > is accepted once, even when two requests redeem it concurrently',
        'test/attacks/asking.test.ts > requestState > of a single-use call is redeemed once when 20 requests present it concurrently',
        'test/attacks/asking.test.ts > requestState > of a single-use call cannot be omitted',
      ],
    },
    {
      id: 'requests-or-state',
      level: 'MUST',
      clauses: [
        ...mcp('basic/patterns/mrtr#server-requirements-basic-workflow', '2026-07-28'),
        ...mcp('schema#inputrequiredresult', '2026-07-28'),
      ],
      says: 'An input-required result has inputRequests or a requestState.',
      tests: [
        'test/dispatch/journal/asking.test.ts > a handler with one ask > is answered with the question, and the next round runs it with the answer',
        'test/dispatch/journal/request-state.test.ts > a deployment without a key for sealing > sends a question without a state and accepts its answer',
      ],
    },
    {
      id: 'undeclared-input-requests',
      level: 'MUST NOT',
      clauses: [...mcp('basic/patterns/mrtr#server-requirements-basic-workflow', '2026-07-28')],
      says: 'The server sends no input request that the client has not declared support for.',
      tests: [
        'test/dispatch/journal/asking-refused.test.ts > an ask that the client cannot answer > is answered with the missing capability: %s',
        'test/clients/refused-rounds.test.ts > a client with limited capabilities > receives only asks that it can answer: $keys',
      ],
    },
    {
      id: 'no-assumption-of-a-retry',
      level: 'MUST NOT',
      clauses: [...mcp('basic/patterns/mrtr#server-requirements-basic-workflow', '2026-07-28')],
      says: 'The server does not assume that the client answers or repeats the request.',
      tests: [
        'test/attacks/suspended-memory.test.ts > a suspended handler is garbage collected',
        'test/clients/elicitation.test.ts > the steps of a tool that asks > do not run after the ask while it is open',
        'test/clients/time-limits.test.ts > a request state expires, and the call must start again',
      ],
    },
    {
      id: 'inputs-before-the-retry',
      level: 'MUST',
      clauses: [...mcp('basic/patterns/mrtr#client-requirements-basic-workflow', '2026-07-28')],
      says: 'The client obtains the requested inputs before it repeats the request.',
      concerns: 'client',
      tests: [
        'test/dispatch/journal/asking.test.ts > a handler with one ask > asks again when the answer does not match the schema',
      ],
    },
    {
      id: 'state-is-echoed',
      level: 'MUST',
      clauses: [...mcp('basic/patterns/mrtr#client-requirements-basic-workflow', '2026-07-28')],
      says: 'The client returns the requestState unchanged.',
      concerns: 'client',
      tests: [
        'test/dispatch/journal/request-state.test.ts > an invalid requestState > is rejected when it is truncated, extended or repeated',
      ],
    },
    {
      id: 'no-invented-state',
      level: 'MUST NOT',
      clauses: [...mcp('basic/patterns/mrtr#client-requirements-basic-workflow', '2026-07-28')],
      says: 'The client sends no requestState that it did not receive.',
      concerns: 'client',
      tests: [
        'test/dispatch/journal/request-state.test.ts > an invalid requestState > is rejected when it is %s > any text',
      ],
    },
    {
      id: 'retry-has-its-own-id',
      level: 'MUST',
      clauses: [
        ...mcp('basic/patterns/mrtr#client-requirements-basic-workflow', '2026-07-28'),
        ...mcp('server/tools#input-required-tool-results', '2026-07-28'),
      ],
      says: 'The repeated request has another id than the first one.',
      concerns: 'client',
    },
    {
      id: 'inputs-belong-to-one-request',
      level: 'MUST NOT',
      clauses: [...mcp('basic/patterns/mrtr#client-requirements-basic-workflow', '2026-07-28')],
      says: 'The client uses the inputs and the state of a request for no other request.',
      concerns: 'client',
      tests: [
        'test/dispatch/journal/request-state.test.ts > an invalid requestState > is rejected for another tool, method, arguments or server',
      ],
    },
  ],
}
