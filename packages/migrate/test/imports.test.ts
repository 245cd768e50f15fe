/** Tests how `edgeway migrate` moves the imports of a file. */
// features: all
import MagicString from 'magic-string'
import { describe, expect, it } from 'vitest'
import { moveImports } from '../src/move-imports.ts'
import { parseSource } from '../src/source-file.ts'

function moved(text: string, path = 'src/index.ts') {
  const file = parseSource(path, text)
  const output = new MagicString(file.text)
  const { decisions } = moveImports(file, output)
  return {
    text: output.toString(),
    decisions: decisions.map(({ code, line }) => `${code} ${line}`),
  }
}

/** Title, before and after. */
const MOVED: readonly (readonly [string, string, string])[] = [
  [
    'of a module of the SDK 1.x',
    `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'`,
    `import { McpServer } from 'edgeway/sdk'`,
  ],
  [
    'without an extension, with double quotes and a semicolon',
    `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp";`,
    `import { McpServer } from "edgeway/sdk";`,
  ],
  [
    'of a deep path of the compiled package',
    `import { Server } from '@modelcontextprotocol/sdk/dist/esm/server/index.js'`,
    `import { Server } from 'edgeway/sdk'`,
  ],
  [
    'of the SDK 2.x',
    `import { McpServer, type CallToolResult } from '@modelcontextprotocol/server'`,
    `import { McpServer, type CallToolResult } from 'edgeway/sdk'`,
  ],
  [
    'of types alone',
    `import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'`,
    `import type { CallToolResult } from 'edgeway/sdk'`,
  ],
  [
    'under another name',
    `import { McpServer as S, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'`,
    `import { McpServer as S, ResourceTemplate } from 'edgeway/sdk'`,
  ],
  [
    'over several lines, with comments and a trailing comma',
    `import {\n\t// The server.\n\tMcpServer,\n\tResourceTemplate, // templates\n} from '@modelcontextprotocol/sdk/server/mcp.js' // SDK`,
    `import {\n\t// The server.\n\tMcpServer,\n\tResourceTemplate, // templates\n} from 'edgeway/sdk' // SDK`,
  ],
  [
    'of an agent',
    `import { McpAgent } from 'agents/mcp'`,
    `import { McpAgent } from 'edgeway/agents'`,
  ],
  [
    'of names that go to two modules',
    `import { createMcpHandler, McpAgent, getMcpAuthContext } from "agents/mcp";\nuse()`,
    `import { createMcpHandler, getMcpAuthContext } from "edgeway/sdk";\nimport { McpAgent } from "edgeway/agents";\nuse()`,
  ],
  [
    'of a name that is another one here',
    `import { experimental_createMcpHandler, experimental_createMcpHandler as create } from 'agents/mcp'`,
    `import { createMcpHandler as experimental_createMcpHandler, createMcpHandler as create } from 'edgeway/sdk'`,
  ],
  [
    'of a type that is another one here',
    `import { type LegacyMcpHandler, type CreateStatelessMcpHandlerOptions as Options } from 'agents/mcp'`,
    `import { type McpHandler as LegacyMcpHandler, type CreateMcpHandlerOptions as Options } from 'edgeway/sdk'`,
  ],
  [
    'of a namespace whose members are known',
    `import * as mcp from '@modelcontextprotocol/sdk/server/mcp.js'\nconst s: mcp.McpServer = new mcp.McpServer({ name: 'a', version: '1' })\nfunction f(mcp: { x: 1 }) { return mcp.x }`,
    `import * as mcp from 'edgeway/sdk'\nconst s: mcp.McpServer = new mcp.McpServer({ name: 'a', version: '1' })\nfunction f(mcp: { x: 1 }) { return mcp.x }`,
  ],
  [
    'of a name that is exported again',
    `export { McpServer, ResourceTemplate as Template } from '@modelcontextprotocol/sdk/server/mcp.js'\nexport type { Tool } from '@modelcontextprotocol/sdk/types.js'`,
    `export { McpServer, ResourceTemplate as Template } from 'edgeway/sdk'\nexport type { Tool } from 'edgeway/sdk'`,
  ],
  [
    'of a dynamic import, by a pattern, a member and a callback',
    `const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js')\nconst S = (await import('@modelcontextprotocol/sdk/server/mcp.js')).McpServer\nimport('@modelcontextprotocol/sdk/types.js').then(({ ErrorCode }) => ErrorCode)`,
    `const { McpServer } = await import('edgeway/sdk')\nconst S = (await import('edgeway/sdk')).McpServer\nimport('edgeway/sdk').then(({ ErrorCode }) => ErrorCode)`,
  ],
  [
    'of a type that is imported in place',
    `type Result = import('@modelcontextprotocol/sdk/types.js').CallToolResult`,
    `type Result = import('edgeway/sdk').CallToolResult`,
  ],
  [
    'of `import = require`',
    `import sdk = require('@modelcontextprotocol/sdk/server/mcp.js')\nnew sdk.McpServer({ name: 'a', version: '1' })`,
    `import sdk = require('edgeway/sdk')\nnew sdk.McpServer({ name: 'a', version: '1' })`,
  ],
  [
    'of several modules, as one',
    `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'\nimport { z } from 'zod'\nimport { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'\nuse()`,
    `import { McpServer, ErrorCode, McpError } from 'edgeway/sdk'\nimport { z } from 'zod'\nuse()`,
  ],
  [
    'of several modules, separately where one has a comment',
    `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'\n// Errors.\nimport { McpError } from '@modelcontextprotocol/sdk/types.js'`,
    `import { McpServer } from 'edgeway/sdk'\n// Errors.\nimport { McpError } from 'edgeway/sdk'`,
  ],
  [
    'of modules that a client reads, where the file is a client',
    `import { Client } from '@modelcontextprotocol/sdk/client/index.js'\nimport { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'\nimport { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'`,
    `import { Client } from '@modelcontextprotocol/sdk/client/index.js'\nimport { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'\nimport { McpServer } from 'edgeway/sdk'`,
  ],
  [
    'with CRLF',
    `import { McpAgent } from 'agents/mcp'\r\nuse()\r\n`,
    `import { McpAgent } from 'edgeway/agents'\r\nuse()\r\n`,
  ],
  [
    'of another part of the Agents SDK',
    `import { Agent } from 'agents'`,
    `import { Agent } from 'agents'`,
  ],
  [
    'whose module is named in a text or a comment alone',
    `// import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'\nconst text = "from '@modelcontextprotocol/sdk/server/mcp.js'"`,
    `// import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'\nconst text = "from '@modelcontextprotocol/sdk/server/mcp.js'"`,
  ],
  [
    'of a package with a similar name',
    `import { a } from '@modelcontextprotocol/sdk-extras/server/mcp.js'\nimport b from 'agents-mcp'`,
    `import { a } from '@modelcontextprotocol/sdk-extras/server/mcp.js'\nimport b from 'agents-mcp'`,
  ],
]

describe('an import', () => {
  it.each(MOVED)('%s', (_, before, after) => {
    expect(moved(before)).toEqual({ text: after, decisions: [] })
  })

  it('of CommonJS moves with its `require`', () => {
    const before = `const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js')\nconst types = require('@modelcontextprotocol/sdk/types.js')\nthrow new types.McpError(types.ErrorCode.InternalError, '')`
    const after = before.replace(/@modelcontextprotocol\/sdk\/[\w/.]+/g, 'edgeway/sdk')
    expect(moved(before, 'index.cjs')).toEqual({ text: after, decisions: [] })
  })

  it('moves in a file with JSX, with decorators and with later syntax', () => {
    const line = `import { McpAgent } from 'agents/mcp'\n`
    const rest: readonly (readonly [string, string])[] = [
      ['a.tsx', `const a = <b c={1}>d</b>\n`],
      ['a.jsx', `const a = <b />\n`],
      ['a.ts', `class A { constructor(@Inject() private readonly b: C) {} }\n`],
      [
        'a.ts',
        `async function f() { await using a = b() satisfies C; return <const T,>(d: T) => d }\n`,
      ],
      ['a.mts', `enum E { a } namespace E { export const b = 1 }\nexport default E\n`],
      ['a.js', `return await fetch('x')\n`],
    ]
    for (const [path, text] of rest) {
      expect(moved(`${line}${text}`, path).text).toBe(
        `import { McpAgent } from 'edgeway/agents'\n${text}`,
      )
    }
  })
})

/** Title, text, what is decided at which line, and the text after it where it changes. */
const DECIDED: readonly (readonly [string, string, readonly string[], string?])[] = [
  [
    'a name that Edgeway does not have stays with the SDK',
    `import { CallToolRequestSchema, LATEST_PROTOCOL_VERSION, type Tool } from '@modelcontextprotocol/sdk/types.js'`,
    ['name-not-carried 1'],
    `import { CallToolRequestSchema, type Tool } from 'edgeway/sdk'\nimport { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js'`,
  ],
  [
    'comments of a declaration that is divided go in front',
    `import {\n  Tool, // a tool\n  LATEST_PROTOCOL_VERSION, /* the version */\n} from '@modelcontextprotocol/sdk/types.js'`,
    ['name-not-carried 3'],
    `// a tool\n/* the version */\nimport { Tool } from 'edgeway/sdk'\nimport { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js'`,
  ],
  [
    'a schema whose name is a type here stays',
    `import { ToolSchema } from '@modelcontextprotocol/sdk/types.js'`,
    ['name-not-carried 1'],
  ],
  [
    'a transport',
    `import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'\nimport { StreamableHTTPTransport } from '@hono/mcp'\nimport '@modelcontextprotocol/node'`,
    ['transport 1', 'transport 2', 'transport 3'],
  ],
  [
    'a transport among other names',
    `import { WorkerTransport, createMcpHandler } from 'agents/mcp'`,
    ['transport 1'],
    `import { createMcpHandler } from 'edgeway/sdk'\nimport { WorkerTransport } from 'agents/mcp'`,
  ],
  [
    'authorization',
    `import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'`,
    ['authorization 1'],
  ],
  [
    'stores of tasks',
    `import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks'`,
    ['task-tools 1'],
  ],
  ['mcp-handler', `import { createMcpHandler } from 'mcp-handler'`, ['other-handler 1']],
  ['fastmcp', `import { FastMCP } from 'fastmcp'`, ['other-framework 1']],
  ['mcp-lite', `import { McpServer } from 'mcp-lite'`, ['other-framework 1']],
  ['a part of xmcp', `import { headers } from 'xmcp/headers'`, ['other-framework 1']],
  [
    'the skills of the SDK',
    `import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills'`,
    ['feature-needed 1'],
  ],
  [
    'a namespace that is passed on',
    `import * as sdk from '@modelcontextprotocol/sdk/types.js'\nregister(sdk)`,
    ['module-as-a-whole 1'],
  ],
  [
    'a namespace with a member that Edgeway does not have',
    `import * as sdk from '@modelcontextprotocol/sdk/types.js'\nuse(sdk.LATEST_PROTOCOL_VERSION, sdk.ErrorCode)`,
    ['name-not-carried 1'],
  ],
  ['`export *`', `export * from '@modelcontextprotocol/sdk/types.js'`, ['module-as-a-whole 1']],
  ['an import for its effects', `import 'agents/mcp'`, ['module-as-a-whole 1']],
  [
    'a module of which no name is used',
    `import * as types from '@modelcontextprotocol/sdk/types.js'\nconst loading = import('agents/mcp')\nexport {} from 'agents/mcp'`,
    ['module-as-a-whole 1', 'module-as-a-whole 2', 'module-as-a-whole 3'],
  ],
  [
    'a default import',
    `import sdk from '@modelcontextprotocol/sdk/types.js'`,
    ['module-as-a-whole 1'],
  ],
  [
    'a dynamic import whose names are not known',
    `const all = await import('@modelcontextprotocol/sdk/types.js')\nregister(all)`,
    ['module-as-a-whole 1'],
  ],
  [
    'the mock of a test',
    `vi.mock('@modelcontextprotocol/sdk/server/mcp.js', () => ({}))`,
    ['mocked-module 1'],
  ],
  [
    'the declaration of a module',
    `declare module '@modelcontextprotocol/sdk/types.js' { interface Tool { mine: true } }`,
    ['module-as-a-whole 1'],
  ],
  [
    'a module of the SDK that is not known',
    `import { x } from '@modelcontextprotocol/sdk/server/unknown.js'`,
    ['module-unknown 1'],
  ],
  [
    'a module of another registry',
    `import { McpServer } from 'npm:@modelcontextprotocol/sdk@1/server/mcp.js'`,
    ['module-unknown 1'],
  ],
]

describe('what a person decides about imports', () => {
  for (const [title, before, decisions, after = before] of DECIDED) {
    it(title, () => expect(moved(before)).toEqual({ text: after, decisions }))
  }

  it('is nothing for the client of the SDK and for the clients of the Agents SDK', () => {
    const text = `import { Client } from '@modelcontextprotocol/sdk/client/index.js'\nimport { Client as Second } from '@modelcontextprotocol/client'\nimport { MCPClientManager } from 'agents/mcp'\nimport { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'\n`
    expect(moved(text)).toEqual({ text, decisions: [] })
  })
})
