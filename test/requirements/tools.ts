import { mcp, type RequirementDocument } from './requirement.ts'

export const tools: RequirementDocument = {
  title: 'Tools',
  pages: [
    ...mcp('server/tools', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
    ...mcp('server/prompts', '2026-07-28'),
    ...mcp('server/resources', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'capability',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/tools#capabilities',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The server that has tools declares the tools capability.',
      tests: [
        'test/transport/session/change-forwarder.test.ts > a session under %s > declares listChanged and subscribe',
        'test/clients/handshake.test.ts > a client in %s mode > receives the server info, the instructions and the capabilities',
        'test/dispatch/lists.test.ts > lists of registered definitions > has no list method for a kind of definition that is not registered',
      ],
    },
    {
      id: 'list',
      level: 'MUST',
      clauses: [...mcp('server/tools#capabilities', '2026-07-28')],
      says: 'The server lists the tools that are available to the client.',
      tests: [
        'test/dispatch/lists.test.ts > lists of registered definitions > returns every item of %s once, in order, page by page',
        'test/dispatch/lists.test.ts > a definition that is not visible to the principal > is missing from the list, and the list is private',
      ],
    },
    {
      id: 'list-does-not-depend-on-the-connection',
      level: 'MUST NOT',
      clauses: [
        ...mcp('server/prompts#capabilities', '2026-07-28'),
        ...mcp('server/resources#capabilities', '2026-07-28'),
        ...mcp('server/tools#capabilities', '2026-07-28'),
      ],
      says: 'The list of tools does not depend on the connection or on earlier requests.',
      tests: [
        'test/dispatch/lists.test.ts > lists of registered definitions > answers equal requests with equal bytes except for the id',
      ],
    },
    {
      id: 'input-schema-is-an-object',
      level: 'MUST',
      clauses: [...mcp('server/tools#tool', '2025-11-25', '2026-07-28')],
      says: 'The input schema of a tool is a JSON Schema object.',
      tests: [
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > a schema that is null',
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > a schema that is a string',
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > arguments that are no object',
      ],
    },
    {
      id: 'annotations-are-untrusted',
      level: 'MUST',
      clauses: [
        ...mcp('server/tools#tool', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The client does not trust the annotations of tools of an untrusted server.',
      concerns: 'client',
    },
    {
      id: 'structured-content-conforms',
      level: 'MUST',
      clauses: [...mcp('server/tools#output-schema', '2025-06-18', '2025-11-25', '2026-07-28')],
      says: 'The server sends structured content that conforms to the output schema.',
      tests: [
        'test/dispatch/handlers.test.ts > a handler that returns an invalid result > answers with an error result when the handler returns %s > a value that does not fit',
        'test/dispatch/handlers.test.ts > the return value of a tool handler > validates a value in the form in which it is sent',
        'test/clients/tools.test.ts > a client in %s mode whose call fails > receives an error instead of a result that violates the output schema',
      ],
    },
    {
      id: 'inputs-are-validated',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/tools#security-considerations',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The server validates the arguments of tools.',
      tests: [
        'test/server/registration.test.ts > input and output schemas > sends raw JSON Schema unchanged and validates arguments with it',
        'test/clients/tools.test.ts > a client in %s mode whose call fails > receives an error for arguments that violate a JSON Schema',
      ],
    },
    {
      id: 'access-is-controlled',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/tools#security-considerations',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The server controls access to tools.',
      tests: [
        'test/dispatch/lists.test.ts > a definition that is not visible to the principal > has its scopes checked before the handler runs',
        'test/dispatch/lists.test.ts > a definition that is not visible to the principal > is answered like a definition that does not exist',
      ],
    },
    {
      id: 'calls-are-rate-limited',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/tools#security-considerations',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The server limits the rate of tool calls.',
      tests: [
        'test/rate-limits/principals.test.ts > the limit of a principal > refuses requests above it from all networks and clients, and other principals none',
        'test/rate-limits/methods.test.ts > rate limits > refuse tool calls above them in %s',
        'test/rate-limits/tools.test.ts > the limit of a class that a tool names > refuses a modern call above it, with the id of the call',
      ],
    },
    {
      id: 'outputs-are-sanitized',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/tools#security-considerations',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The server sanitizes the outputs of tools.',
      tests: [
        'test/dispatch/handlers.test.ts > the return value of a tool handler > sends only the members that the protocol defines for a result',
        'test/dispatch/handlers.test.ts > a handler that throws an error > does not disclose %s to the client',
        'test/transport/well-formed.test.ts > texts with a lone surrogate > are sent well-formed in the modern era by %s %j',
      ],
    },
  ],
}
