/** The description of the tool: what code can do, and as much of its tools as fits. */
import { declarationOf, signatureOf } from './declarations.ts'
import { firstSentence } from './find-tools.ts'
import type { ModuleTool, ToolModule } from './module-names.ts'

/** UTF-16 code units of what is said of the tools: about 1,500 tokens. */
const MAX_TOOLS_LENGTH = 6_000

export function describeModule(module: ToolModule, maxCalls: number, readOnly: boolean): string {
  return `${introduction(maxCalls, readOnly)}\n\n${toolsText([...module.values()])}`
}

function introduction(maxCalls: number, readOnly: boolean): string {
  return [
    `Runs JavaScript that calls the tools of this server${readOnly ? ' that only read' : ''}, and returns what the code returns.`,
    'Write the body of an async function: use await, and end with return. Return only what you need.',
    '- tools.name(args) calls a tool and resolves with its value: structured content, or text. A failed call throws an error with the reason. Independent calls: Promise.all.',
    '- await find("words") lists the tools for some words. await describe("name", …) returns their TypeScript declarations.',
    '- console.log(…) is returned beside the result.',
    `- There are no modules, network, timers and files. new Date() is the time at which the call began. The code may make ${maxCalls} calls.`,
  ].join('\n')
}

/**
 * Declarations while they fit, then signatures with what each does, signatures alone, names, and as many names as fit. A
 * tool that some callers do not see is not named: all callers read the same description.
 */
function toolsText(all: readonly ModuleTool[]): string {
  const shown = all.filter(({ tool }) => tool.visible === undefined)
  const hidden =
    shown.length < all.length
      ? '\nYou may have more tools: find("") lists those that you have.'
      : ''
  const signature = (each: ModuleTool) => `tools.${signatureOf(each)}`
  const text =
    fitting(shown, '\n', declarationOf, (body) => `declare const tools: {\n${body}\n}`) ??
    fitting(shown, '\n', (each) => `${signature(each)} // ${firstSentence(each)}`) ??
    fitting(shown, '\n', signature) ??
    fitting(
      shown,
      ', ',
      ({ identifier }) => identifier,
      (body) => `The names in tools: ${body}`,
    ) ??
    someNames(shown)
  return text + hidden
}

/** The text of all tools; undefined when it does not fit. */
function fitting(
  tools: readonly ModuleTool[],
  separator: string,
  write: (each: ModuleTool) => string,
  around = (body: string) => body,
): string | undefined {
  const parts: string[] = []
  let length = 0
  for (const each of tools) {
    const part = write(each)
    length += part.length + separator.length
    if (length > MAX_TOOLS_LENGTH) return undefined
    parts.push(part)
  }
  return around(parts.join(separator))
}

function someNames(tools: readonly ModuleTool[]): string {
  const names: string[] = []
  let length = 0
  for (const { identifier } of tools) {
    length += identifier.length + 2
    if (length > MAX_TOOLS_LENGTH) break
    names.push(identifier)
  }
  const left = tools.length - names.length
  return `Some names in tools: ${names.join(', ')}, and ${left} others. Use find.`
}
