import { mcp, type RequirementDocument } from './requirement.ts'

export const jsonSchema: RequirementDocument = {
  title: 'Base protocol: JSON Schema',
  pages: [...mcp('basic', '2025-11-25', '2026-07-28')],
  requirements: [
    {
      id: 'dialect-2020-12',
      level: 'MUST',
      clauses: [
        ...mcp('basic#schema-dialect', '2025-11-25', '2026-07-28'),
        ...mcp('basic#implementation-requirements', '2025-11-25', '2026-07-28'),
      ],
      says: 'The server supports JSON Schema 2020-12, which is the dialect of a schema without $schema.',
      tests: [
        'test/property/schemas.test.ts > a schema of 2020-12 > matches the values that ajv accepts, and no other',
        'test/server/json-schema.test.ts > validation with raw JSON Schema > distinguishes values by %j',
        'test/conformance/suite.test.ts > the server scenarios of %s > include %s, which passes > json-schema-2020-12',
      ],
    },
    {
      id: 'declared-dialect',
      level: 'MUST',
      clauses: [...mcp('basic#implementation-requirements', '2025-11-25', '2026-07-28')],
      says: 'The server validates with the dialect that a schema declares, or with 2020-12.',
      tests: [
        'test/server/registration.test.ts > input and output schemas > validates with draft-07 if the schema declares draft-07',
        'test/property/schemas.test.ts > a schema of draft-07 > matches the values that ajv accepts, and no other',
      ],
    },
    {
      id: 'unsupported-dialect',
      level: 'MUST',
      clauses: [...mcp('basic#implementation-requirements', '2025-11-25', '2026-07-28')],
      says: 'The server reports a dialect that it does not support with an error that says so.',
      tests: [
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > another dialect',
      ],
    },
    {
      id: 'valid-schemas',
      level: 'MUST',
      clauses: [...mcp('basic#schema-validation', '2025-11-25', '2026-07-28')],
      says: 'A schema is valid in its dialect.',
      tests: [
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > an unknown type',
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > required that is a boolean',
        'test/server/json-schema.test.ts > validation with raw JSON Schema > refuses a schema that leads back to itself through %s',
      ],
    },
    {
      id: 'no-references-to-the-network',
      level: 'MUST NOT',
      clauses: [...mcp('basic#%24ref-resolution', '2026-07-28')],
      says: 'The server does not fetch a $ref that names another document.',
      tests: [
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > a reference to the network',
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > a reference to a file',
      ],
    },
    {
      id: 'fetching-references-is-off',
      level: 'MUST',
      clauses: [...mcp('basic#%24ref-resolution', '2026-07-28')],
      says: 'Fetching references of other documents is disabled by default: Edgeway has no such mode.',
      tests: [
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > a reference to the network',
      ],
    },
  ],
}
