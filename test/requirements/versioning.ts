import { mcp, type RequirementDocument } from './requirement.ts'

export const versioning: RequirementDocument = {
  title: 'Versioning',
  pages: [
    ...mcp('basic/versioning', '2026-07-28'),
    ...mcp('schema', '2026-07-28'),
    ...mcp('server/discover', '2026-07-28'),
    ...mcp('changelog', '2026-07-28'),
    ...mcp('basic/transports/streamable-http', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'discover-is-implemented',
      level: 'MUST',
      clauses: [
        ...mcp('basic/versioning#protocol-version-negotiation', '2026-07-28'),
        ...mcp('schema#discoverrequest', '2026-07-28'),
        ...mcp('server/discover', '2026-07-28'),
        ...mcp('changelog#major-changes', '2026-07-28'),
      ],
      says: 'The server implements server/discover with its versions, capabilities and information.',
      tests: [
        'test/clients/handshake.test.ts > the result of server/discover lists the modern revision only, and has the cache scope public',
        'test/clients/handshake.test.ts > a client in %s mode > receives the server info, the instructions and the capabilities',
        'test/dispatch/lists.test.ts > lists of registered definitions > has no list method for a kind of definition that is not registered',
      ],
    },
    {
      id: 'unsupported-version-is-refused',
      level: 'MUST',
      clauses: [
        ...mcp('basic/versioning#protocol-version-negotiation', '2026-07-28'),
        ...mcp('basic/transports/streamable-http#protocol-version-header', '2026-07-28'),
        ...mcp('schema#requestmetaobject-iomodelcontextprotocolprotocolversion', '2026-07-28'),
      ],
      says: 'The server refuses a version that it does not implement with code -32022, its supported versions, and over HTTP status 400.',
      tests: [
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > lists the supported versions when the version is unsupported',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses an older revision in _meta',
      ],
    },
    {
      id: 'extension-identifiers',
      level: 'MUST',
      clauses: [
        ...mcp('basic/versioning#extension-negotiation', '2026-07-28'),
        ...mcp('schema#clientcapabilities-extensions', '2026-07-28'),
        ...mcp('schema#servercapabilities-extensions', '2026-07-28'),
      ],
      says: 'The identifier of an extension has the form of a _meta key with a prefix.',
      concerns: 'specification',
    },
    {
      id: 'extension-of-one-party',
      level: 'MUST',
      clauses: [...mcp('basic/versioning#extension-negotiation', '2026-07-28')],
      says: 'A party that supports an extension reverts to the core protocol, or refuses the request, when the other party does not support it.',
      untested:
        'Edgeway declares no extension of the protocol, so every request is served by the core protocol.',
    },
  ],
}
