import { mcp, type RequirementDocument } from './requirement.ts'

export const sampling: RequirementDocument = {
  title: 'Sampling',
  pages: [
    'https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2024-11-05/schema.ts',
    'https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2025-03-26/schema.ts',
    ...mcp('client/sampling', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
    ...mcp('schema', '2025-06-18', '2025-11-25', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'capability-at-initialization',
      level: 'MUST',
      clauses: [
        ...mcp(
          'client/sampling#capabilities',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
      ],
      says: 'The client declares the sampling capability in initialize.',
      concerns: 'client',
      tests: [
        'test/transport/session/client-capabilities.test.ts > a client that declares %s > receives the server request only if it declared the capability: %s',
      ],
    },
    {
      id: 'capability-in-each-request',
      level: 'MUST',
      clauses: [...mcp('client/sampling#capabilities', '2026-07-28')],
      says: 'The client declares the sampling capability in every request.',
      concerns: 'client',
      tests: [
        'test/dispatch/journal/asking-refused.test.ts > an ask that the client cannot answer > is answered with the missing capability: %s',
      ],
    },
    {
      id: 'tool-capability',
      level: 'MUST',
      clauses: [...mcp('client/sampling#tools-in-sampling', '2025-11-25', '2026-07-28')],
      says: 'The client declares sampling.tools to receive sampling requests with tools.',
      concerns: 'client',
      tests: [
        'test/transport/session/client-capabilities.test.ts > a client that declares %s > receives the server request only if it declared the capability: %s',
      ],
    },
    {
      id: 'tools-for-capable-clients-only',
      level: 'MUST NOT',
      clauses: [...mcp('client/sampling#tools-in-sampling', '2025-11-25', '2026-07-28')],
      says: 'The server sends no sampling request with tools to a client that has not declared sampling.tools.',
      tests: [
        'test/transport/session/client-capabilities.test.ts > a client that declares %s > receives the server request only if it declared the capability: %s',
        'test/dispatch/journal/asking-refused.test.ts > an ask that the client cannot answer > is answered with the missing capability: %s',
        'test/clients/refused-rounds.test.ts > a client with limited capabilities > receives the missing capability when it has $capabilities and calls $tool',
      ],
    },
    {
      id: 'undeclared-tools-are-refused',
      level: 'MUST',
      clauses: [
        ...mcp('schema#createmessagerequestparams-tools', '2025-11-25', '2026-07-28'),
        ...mcp('schema#createmessagerequestparams-toolchoice', '2025-11-25', '2026-07-28'),
      ],
      says: 'The client refuses a sampling request with tools that it has not declared support for.',
      concerns: 'client',
    },
    {
      id: 'tool-results-stand-alone',
      level: 'MUST',
      clauses: [...mcp('client/sampling#tool-result-messages', '2025-11-25', '2026-07-28')],
      says: 'A message with tool results has nothing else.',
      concerns: 'author',
    },
    {
      id: 'tool-uses-are-balanced',
      level: 'MUST',
      clauses: [...mcp('client/sampling#tool-use-and-result-balance', '2025-11-25', '2026-07-28')],
      says: 'A message with tool uses is followed by a message with the result of each.',
      concerns: 'author',
    },
    {
      id: 'tool-uses-are-answered',
      level: 'MUST',
      clauses: [...mcp('client/sampling#security-considerations', '2025-11-25', '2026-07-28')],
      says: 'The server answers each tool use of the client with a tool result.',
      concerns: 'author',
      tests: [
        'test/clients/sampling-and-roots.test.ts > a tool runs the tool calls of a sampling answer and samples again',
      ],
    },
    {
      id: 'tool-result-names-its-use',
      level: 'MUST',
      clauses: [...mcp('schema#toolresultcontent-tooluseid', '2025-11-25', '2026-07-28')],
      says: 'A tool result has the id of its tool use.',
      concerns: 'author',
      tests: [
        'test/clients/sampling-and-roots.test.ts > a tool runs the tool calls of a sampling answer and samples again',
      ],
    },
    {
      id: 'messages-have-role-and-content',
      level: 'MUST',
      clauses: [...mcp('client/sampling#messages', '2026-07-28')],
      says: 'A sampling message has a role and content.',
      tests: [
        'test/property/codecs.test.ts > the codecs of asks and errors > keep every block of a sampling request, in order, with its role',
        'test/transport/session/asks-by-revision.test.ts > sampling/createMessage > contains several blocks in one message under 2025-11-25',
      ],
    },
    {
      id: 'required-tool-choice',
      level: 'MUST',
      clauses: [
        ...mcp('client/sampling#tool-choice-modes', '2025-11-25', '2026-07-28'),
        ...mcp('schema#toolchoice-mode', '2025-11-25', '2026-07-28'),
      ],
      says: 'The model uses a tool when the tool choice is required.',
      concerns: 'client',
    },
    {
      id: 'no-tool-choice',
      level: 'MUST NOT',
      clauses: [
        ...mcp('client/sampling#tool-choice-modes', '2025-11-25', '2026-07-28'),
        ...mcp('schema#toolchoice-mode', '2025-11-25', '2026-07-28'),
      ],
      says: 'The model uses no tool when the tool choice is none.',
      concerns: 'client',
    },
    {
      id: 'max-tokens',
      level: 'MUST',
      clauses: [...mcp('client/sampling#sampling-parameters', '2026-07-28')],
      says: 'The client respects maxTokens.',
      concerns: 'client',
    },
    {
      id: 'model-hints-in-order',
      level: 'MUST',
      clauses: [
        'https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2024-11-05/schema.ts#L884',
        'https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2025-03-26/schema.ts#L1025',
        ...mcp('schema#modelpreferences-hints', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The client evaluates model hints in order.',
      concerns: 'client',
    },
    {
      id: 'sensitive-data',
      level: 'MUST',
      clauses: [
        ...mcp(
          'client/sampling#security-considerations',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'Both parties handle sensitive data of sampling appropriately.',
      concerns: 'author',
    },
  ],
}
