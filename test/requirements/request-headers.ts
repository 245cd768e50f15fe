import { mcp, type RequirementDocument } from './requirement.ts'

export const requestHeaders: RequirementDocument = {
  title: 'Streamable HTTP: request headers',
  pages: [
    ...mcp('basic/transports/streamable-http', '2026-07-28'),
    ...mcp('schema', '2026-07-28'),
    ...mcp('server/tools', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'version-header-is-required',
      level: 'MUST',
      clauses: [...mcp('basic/transports/streamable-http#protocol-version-header', '2026-07-28')],
      says: 'Every modern POST has the MCP-Protocol-Version header.',
      concerns: 'client',
      tests: [
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > a missing version header',
      ],
    },
    {
      id: 'version-header-matches-the-body',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports/streamable-http#protocol-version-header', '2026-07-28'),
        ...mcp('schema#requestmetaobject-iomodelcontextprotocolprotocolversion', '2026-07-28'),
      ],
      says: 'The version header equals the version in _meta.',
      concerns: 'client',
      tests: [
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > a body with an unknown version',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > an older version header',
      ],
    },
    {
      id: 'version-mismatch-is-refused',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports/streamable-http#protocol-version-header', '2026-07-28'),
        ...mcp('schema#requestmetaobject-iomodelcontextprotocolprotocolversion', '2026-07-28'),
      ],
      says: 'The server refuses a version header that differs from the body with 400 and code -32020.',
      tests: [
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > a body with an unknown version',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > an older version header',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > a repeated version header',
      ],
      deviation:
        'With the setting trust-body, a known older version in the header is served and reported as a leniency.',
    },
    {
      id: 'unknown-method-is-not-found',
      level: 'MUST',
      clauses: [...mcp('basic/transports/streamable-http#protocol-version-header', '2026-07-28')],
      says: 'The server answers a method that it does not implement with 404 and code -32601.',
      tests: [
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > an unknown method',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > the removed method initialize',
        'test/dispatch/lists.test.ts > lists of registered definitions > has no list method for a kind of definition that is not registered',
      ],
    },
    {
      id: 'missing-version-header-is-refused',
      level: 'MUST',
      clauses: [...mcp('basic/transports/streamable-http#protocol-version-header', '2026-07-28')],
      says: 'The server refuses a modern request without a version header.',
      tests: [
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > a missing version header',
      ],
    },
    {
      id: 'standard-headers-are-required',
      level: 'MUST',
      clauses: [...mcp('basic/transports/streamable-http#standard-request-headers', '2026-07-28')],
      says: 'The client sends Mcp-Method with every request, and Mcp-Name with a request that names a definition.',
      concerns: 'client',
      tests: [
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > a missing Mcp-Method header',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > a missing Mcp-Name header',
        'test/conformance/suite.test.ts > the server scenarios of %s > include %s, which passes > http-header-validation',
      ],
    },
    {
      id: 'name-header-is-encoded',
      level: 'MUST',
      clauses: [...mcp('basic/transports/streamable-http#standard-request-headers', '2026-07-28')],
      says: 'The client encodes a name that is no safe header value.',
      concerns: 'client',
      tests: [
        'test/transport/modern-ladder.test.ts > a modern request with tolerated deviations > is served with an Mcp-Name header in base64',
        'test/property/header-mirroring.test.ts > checkNameHeader > accepts a name exactly when the header is its encoded form',
      ],
    },
    {
      id: 'param-headers-are-supported',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/transports/streamable-http#custom-headers-from-tool-parameters',
          '2026-07-28',
        ),
      ],
      says: 'The client supports x-mcp-header.',
      concerns: 'client',
      tests: ['test/clients/parameter-headers.test.ts > a modern client mirrors $title'],
    },
    {
      id: 'param-headers-are-sent',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/transports/streamable-http#custom-headers-from-tool-parameters',
          '2026-07-28',
        ),
        ...mcp('basic/transports/streamable-http#client-behavior', '2026-07-28'),
        ...mcp('basic/transports/streamable-http#server-behavior-for-custom-headers', '2026-07-28'),
      ],
      says: 'The client mirrors the designated arguments into headers.',
      concerns: 'client',
      tests: [
        'test/clients/parameter-headers.test.ts > a modern client mirrors $title',
        'test/transport/modern-ladder.test.ts > Mcp-Param headers > refuse a request with %s > a missing header',
      ],
    },
    {
      id: 'param-header-is-omitted',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports/streamable-http#server-behavior-for-custom-headers', '2026-07-28'),
      ],
      says: 'The client sends no header for an argument that is null or absent.',
      concerns: 'client',
      tests: [
        'test/transport/modern-ladder.test.ts > Mcp-Param headers > refuse a request with %s > a header for null',
        'test/transport/modern-ladder.test.ts > Mcp-Param headers > refuse a request with %s > a header without a value in the body',
      ],
    },
    {
      id: 'header-name-is-not-empty',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic/transports/streamable-http#schema-extension', '2026-07-28'),
        ...mcp('server/tools#x-mcp-header', '2026-07-28'),
      ],
      says: 'The value of x-mcp-header is not empty.',
      concerns: 'author',
      tests: [
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > an empty header',
      ],
    },
    {
      id: 'header-name-is-a-token',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports/streamable-http#schema-extension', '2026-07-28'),
        ...mcp('server/tools#x-mcp-header', '2026-07-28'),
      ],
      says: 'The value of x-mcp-header is an HTTP token.',
      concerns: 'author',
      tests: [
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > an empty header',
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > a header with a line break',
      ],
    },
    {
      id: 'header-name-has-no-control-characters',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic/transports/streamable-http#schema-extension', '2026-07-28'),
        ...mcp('server/tools#x-mcp-header', '2026-07-28'),
      ],
      says: 'The value of x-mcp-header has no control characters.',
      concerns: 'author',
      tests: [
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > a header with a line break',
      ],
    },
    {
      id: 'header-names-are-unique',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports/streamable-http#schema-extension', '2026-07-28'),
        ...mcp('server/tools#x-mcp-header', '2026-07-28'),
      ],
      says: 'Each value of x-mcp-header is unique in its schema, in any case.',
      concerns: 'author',
      tests: [
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > the same header twice',
      ],
    },
    {
      id: 'mirrored-types',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports/streamable-http#schema-extension', '2026-07-28'),
        ...mcp('server/tools#x-mcp-header', '2026-07-28'),
      ],
      says: 'A mirrored argument is an integer, a string or a boolean.',
      concerns: 'author',
      tests: [
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > a header for a number',
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > a header for a list of types',
      ],
    },
    {
      id: 'mirrored-integers-are-safe',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports/streamable-http#schema-extension', '2026-07-28'),
        ...mcp('server/tools#x-mcp-header', '2026-07-28'),
      ],
      says: 'A mirrored integer is in the safe range of JavaScript.',
      concerns: 'client',
      tests: [
        'test/transport/modern-ladder.test.ts > Mcp-Param headers > refuse a request with %s > an integer beyond the safe range',
        'test/transport/modern-ladder.test.ts > Mcp-Param headers > refuse a request with %s > a fraction that rounds to the integer',
      ],
    },
    {
      id: 'mirrored-properties-are-reachable',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports/streamable-http#schema-extension', '2026-07-28'),
        ...mcp('server/tools#x-mcp-header', '2026-07-28'),
      ],
      says: 'A mirrored property is reached from the root through properties alone.',
      concerns: 'author',
      tests: [
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > a header inside $defs',
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > a header inside items',
      ],
    },
    {
      id: 'mirrored-properties-are-not-composed',
      level: 'MUST NOT',
      clauses: [...mcp('basic/transports/streamable-http#schema-extension', '2026-07-28')],
      says: 'A mirrored property is not inside an array, a composition, a condition or a reference.',
      concerns: 'author',
      tests: [
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > a header inside items',
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > a header inside anyOf',
      ],
    },
    {
      id: 'invalid-tools-are-rejected',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports/streamable-http#schema-extension', '2026-07-28'),
        ...mcp('server/tools#x-mcp-header', '2026-07-28'),
      ],
      says: 'The client rejects a tool whose x-mcp-header violates the constraints.',
      concerns: 'client',
      tests: [
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > a header inside items',
      ],
    },
    {
      id: 'invalid-tools-are-not-listed',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports/streamable-http#schema-extension', '2026-07-28'),
        ...mcp('server/tools#x-mcp-header', '2026-07-28'),
      ],
      says: 'The client leaves an invalid tool out of the list of tools.',
      concerns: 'client',
    },
    {
      id: 'param-values-are-encoded',
      level: 'MUST',
      clauses: [...mcp('basic/transports/streamable-http#value-encoding', '2026-07-28')],
      says: 'The client encodes argument values for headers.',
      concerns: 'client',
      tests: ['test/clients/parameter-headers.test.ts > a modern client mirrors $title'],
    },
    {
      id: 'unsafe-values-are-base64',
      level: 'MUST',
      clauses: [...mcp('basic/transports/streamable-http#value-encoding', '2026-07-28')],
      says: 'The client encodes a value that is no safe header value in base64.',
      concerns: 'client',
      tests: [
        'test/transport/modern-ladder.test.ts > Mcp-Param headers > match %s in the body > a string in base64',
        'test/clients/parameter-headers.test.ts > a modern client mirrors $title',
      ],
    },
    {
      id: 'markers-are-exact',
      level: 'MUST',
      clauses: [...mcp('basic/transports/streamable-http#value-encoding', '2026-07-28')],
      says: 'The markers of an encoded value are exactly those of the specification.',
      concerns: 'client',
      tests: [
        'test/property/header-mirroring.test.ts > a mirrored value > is undefined for a header that is no output of an encoder',
      ],
    },
    {
      id: 'values-are-decoded',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports/streamable-http#value-encoding', '2026-07-28'),
        ...mcp('basic/transports/streamable-http#server-validation', '2026-07-28'),
      ],
      says: 'The server decodes an encoded value before it compares the value with the body.',
      tests: [
        'test/transport/modern-ladder.test.ts > Mcp-Param headers > match %s in the body > a string in base64',
        'test/transport/modern-ladder.test.ts > a modern request with tolerated deviations > is served with an Mcp-Name header in base64',
        'test/property/header-mirroring.test.ts > a mirrored value > is equal to the value of the body after a client has encoded it',
      ],
    },
    {
      id: 'ambiguous-values-are-encoded',
      level: 'MUST',
      clauses: [...mcp('basic/transports/streamable-http#value-encoding', '2026-07-28')],
      says: 'The client encodes a value that looks like an encoded one.',
      concerns: 'client',
      tests: [
        'test/clients/parameter-headers.test.ts > a modern client mirrors $title',
        'test/property/header-mirroring.test.ts > a mirrored value > is equal to no other value of the same type',
      ],
    },
    {
      id: 'unknown-headers-are-forwarded',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports/streamable-http#server-behavior-for-custom-headers', '2026-07-28'),
      ],
      says: 'An intermediary forwards headers of arguments that it does not know.',
      concerns: 'intermediary',
      tests: [
        'test/transport/modern-ladder.test.ts > Mcp-Param headers > match %s in the body > an undeclared header',
      ],
    },
    {
      id: 'invalid-characters-are-refused',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports/streamable-http#server-behavior-for-custom-headers', '2026-07-28'),
      ],
      says: 'The server refuses a header of an argument that contains invalid characters.',
      tests: [
        'test/transport/modern-ladder.test.ts > Mcp-Param headers > refuse a request with %s > base64 with invalid characters',
        'test/transport/modern-ladder.test.ts > Mcp-Param headers > refuse a request with %s > base64 that is not UTF-8',
        'test/property/header-mirroring.test.ts > a mirrored value > is undefined for a header that is no output of an encoder',
      ],
    },
    {
      id: 'values-match-the-body',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports/streamable-http#server-behavior-for-custom-headers', '2026-07-28'),
        ...mcp('basic/transports/streamable-http#server-validation', '2026-07-28'),
      ],
      says: 'The server refuses a header whose value differs from the body.',
      tests: [
        'test/transport/modern-ladder.test.ts > Mcp-Param headers > refuse a request with %s > a different value',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > an Mcp-Name header with another name',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > an Mcp-Method header with another method',
        'test/property/header-mirroring.test.ts > checkParamHeaders > refuses the request when one header is missing, other or added',
      ],
    },
    {
      id: 'mismatch-is-400',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports/streamable-http#server-behavior-for-custom-headers', '2026-07-28'),
        ...mcp('basic/transports/streamable-http#server-validation', '2026-07-28'),
        ...mcp('schema#headermismatcherror', '2026-07-28'),
        ...mcp('schema#unsupportedprotocolversionerror', '2026-07-28'),
        ...mcp('schema#missingrequiredclientcapabilityerror', '2026-07-28'),
      ],
      says: 'The server refuses a mismatch of headers with 400 and code -32020.',
      tests: [
        'test/transport/modern-ladder.test.ts > Mcp-Param headers > refuse a request with %s',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > an Mcp-Name header with another name',
        'test/conformance/suite.test.ts > the server scenarios of %s > include %s, which passes > http-custom-header-server-validation',
      ],
    },
    {
      id: 'absent-values-need-no-header',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic/transports/streamable-http#server-behavior-for-custom-headers', '2026-07-28'),
      ],
      says: 'The server expects no header for an argument that is null or absent.',
      tests: [
        'test/transport/modern-ladder.test.ts > Mcp-Param headers > match %s in the body > no mirrored arguments',
        'test/transport/modern-ladder.test.ts > Mcp-Param headers > are not required for null',
        'test/property/header-mirroring.test.ts > checkParamHeaders > accepts the headers that a client derives from the schema, for arguments of any shape',
      ],
    },
    {
      id: 'missing-param-header-is-refused',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports/streamable-http#server-behavior-for-custom-headers', '2026-07-28'),
      ],
      says: 'The server refuses a request that has a mirrored argument and no header for it.',
      tests: [
        'test/transport/modern-ladder.test.ts > Mcp-Param headers > refuse a request with %s > a missing header',
        'test/transport/modern-ladder.test.ts > Mcp-Param headers > refuse a request with %s > a missing nested header',
      ],
    },
    {
      id: 'header-names-ignore-case',
      level: 'MUST',
      clauses: [...mcp('basic/transports/streamable-http#case-sensitivity', '2026-07-28')],
      says: 'The server compares names of headers without regard to case.',
      tests: [
        'test/transport/modern-ladder.test.ts > a modern request with tolerated deviations > is served with header names in any case and white space around header values',
      ],
    },
    {
      id: 'intermediaries-report-errors',
      level: 'MUST',
      clauses: [...mcp('basic/transports/streamable-http#server-validation', '2026-07-28')],
      says: 'An intermediary answers a failed validation with an HTTP error status.',
      concerns: 'intermediary',
    },
  ],
}
