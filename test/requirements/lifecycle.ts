import { mcp, type RequirementDocument } from './requirement.ts'

export const lifecycle: RequirementDocument = {
  title: 'Lifecycle',
  pages: [
    'https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2024-11-05/schema.ts',
    'https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2025-03-26/schema.ts',
    ...mcp('basic/lifecycle', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'),
    ...mcp('basic/transports', '2025-06-18', '2025-11-25'),
    ...mcp('changelog', '2025-06-18'),
    ...mcp('schema', '2025-06-18', '2025-11-25'),
  ],
  requirements: [
    {
      id: 'initialization-comes-first',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/lifecycle#initialization',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
      ],
      says: 'The first interaction of a session is its initialization.',
      concerns: 'client',
      tests: [
        'test/transport/session/session-ids.test.ts > a session id > is created only by initialize, and each initialize creates a new one',
        'test/transport/session-stateless.test.ts > the version header without a session > selects 2025-03-26 when it is missing',
      ],
      deviation:
        'A request without a session is served without initialization, because it changes no state of a session.',
    },
    {
      id: 'client-sends-initialize',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/lifecycle#initialization',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
      ],
      says: 'The client opens a session with an initialize request.',
      concerns: 'client',
    },
    {
      id: 'initialize-is-not-in-a-batch',
      level: 'MUST NOT',
      clauses: [...mcp('basic/lifecycle#initialization', '2025-03-26')],
      says: 'The initialize request is not in a batch.',
      concerns: 'client',
      tests: [
        'test/transport/session-stateless.test.ts > a batch without a session > refuses initialize and modern messages as items',
      ],
    },
    {
      id: 'server-introduces-itself',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/lifecycle#initialization',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
      ],
      says: 'The server answers initialize with its revision, capabilities and information.',
      tests: [
        'test/transport/session-stateless.test.ts > initialize without session objects > echoes the known version %s',
        'test/transport/session-stateless.test.ts > initialize without session objects > returns the members of serverInfo that each revision defines',
        'test/clients/sessions/identity.test.ts > the official client %s > receives the server info, the instructions and the capabilities',
      ],
    },
    {
      id: 'client-sends-initialized',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/lifecycle#initialization',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
      ],
      says: 'The client sends an initialized notification after initialization.',
      concerns: 'client',
    },
    {
      id: 'client-offers-its-version',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/lifecycle#version-negotiation',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
      ],
      says: 'The client sends a version that it supports in the initialize request.',
      concerns: 'client',
    },
    {
      id: 'supported-version-is-echoed',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/lifecycle#version-negotiation',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
      ],
      says: 'The server answers with the requested version if it supports the version in a session.',
      tests: [
        'test/transport/session-stateless.test.ts > initialize without session objects > echoes the known version %s',
        'test/protocol/revisions.test.ts > negotiateSession > answers %s with the same revision',
        'test/clients/sessions/revisions.test.ts > the official client $kind, pinned to $version, > negotiates the revision, and sends it in every later request',
      ],
    },
    {
      id: 'other-version-is-offered',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/lifecycle#version-negotiation',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
      ],
      says: 'The server answers another version that it supports if it does not support the requested one.',
      tests: [
        'test/transport/session-stateless.test.ts > initialize without session objects > answers the unknown or modern version %j with 2025-11-25',
        'test/protocol/revisions.test.ts > negotiateSession > answers %s with the newest revision of sessions',
      ],
    },
    {
      id: 'version-header-of-the-client',
      level: 'MUST',
      clauses: [
        ...mcp('basic/lifecycle#version-negotiation', '2025-06-18', '2025-11-25'),
        ...mcp('basic/transports#protocol-version-header', '2025-06-18', '2025-11-25'),
      ],
      says: 'The client sends the negotiated version in the MCP-Protocol-Version header of every later request.',
      concerns: 'client',
      tests: [
        'test/transport/session/in-flight.test.ts > the version header in a session > %s is refused in strict mode when it differs',
        'test/clients/sessions/identity.test.ts > the official client %s > receives a session id, and sends it and the version in every request',
      ],
    },
    {
      id: 'negotiated-version-and-capabilities',
      level: 'MUST',
      clauses: [
        ...mcp('basic/lifecycle#operation', '2025-06-18', '2025-11-25'),
        ...mcp('changelog#major-changes', '2025-06-18'),
      ],
      says: 'Both parties respect the negotiated version and use negotiated capabilities only.',
      tests: [
        'test/property/codecs.test.ts > the codecs of a %s > send to a revision no member that only a newer one has',
        'test/transport/session/client-capabilities.test.ts > a client that declares %s > receives the server request only if it declared the capability: %s',
        'test/transport/session/in-flight.test.ts > the version header in a session > %s does not change the revision, and is reported when it differs',
        'test/transport/session-stateless.test.ts > results in the session eras > list a tool with the members that the revision defines',
      ],
    },
    {
      id: 'client-disconnects',
      level: 'MUST',
      clauses: [
        'https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2024-11-05/schema.ts#L161',
        'https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2025-03-26/schema.ts#L180',
        ...mcp('schema#initializeresult-protocolversion', '2025-06-18', '2025-11-25'),
      ],
      says: 'The client disconnects if it does not support the version of the server.',
      concerns: 'client',
    },
  ],
}
