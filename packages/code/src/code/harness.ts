/**
 * The main module of the Worker in which code runs, as text. It imports `input.json` (`SandboxInput`) and `source.txt`.
 *
 * The code is compiled while the module starts: afterwards the platform creates no code from text, so nothing can be
 * compiled that the host has not read. It is a function of the global scope, so it sees none of the names of this module.
 *
 * The code is a function of what it receives: the results of its calls arrive one at a time, each after the code has
 * reached the end of what it can do without the next one. So a repetition with the same results makes the same calls.
 */

/** The module of the platform, which this module does not import. */
const PLATFORM = 'cloudflare:workers'

export const HARNESS = String.raw`
import { WorkerEntrypoint } from '${PLATFORM}'
import input from 'input.json'
import source from 'source.txt'

const { stringify, parse } = JSON
const NativePromise = Promise
const NativeError = Error
const NativeAggregateError = AggregateError
const NativeDate = Date
const setTimer = globalThis.setTimeout.bind(globalThis)

// Everything else of the platform is removed: the network, timers, random numbers, clocks, and what tells when memory is freed.
const KEPT = new Set(('Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date ' +
  'Promise RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError SuppressedError ' +
  'globalThis JSON Math Intl ArrayBuffer Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array BigUint64Array ' +
  'BigInt64Array Uint8ClampedArray Float16Array Float32Array Float64Array DataView Map BigInt Set Iterator WeakMap WeakSet ' +
  'Proxy Reflect DisposableStack AsyncDisposableStack decodeURI decodeURIComponent encodeURI encodeURIComponent escape ' +
  'unescape isFinite isNaN').split(' '))
const COPIED = ['btoa', 'atob', 'structuredClone', 'queueMicrotask', 'URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder']
const copies = COPIED.map((name) => [name, globalThis[name]])
for (const key of Reflect.ownKeys(globalThis)) {
  if (KEPT.has(key)) continue
  if (!Reflect.deleteProperty(globalThis, key)) Reflect.set(globalThis, key, undefined)
}
Object.setPrototypeOf(globalThis, Object.prototype)
for (const [name, value] of copies) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true })
}

function FixedDate(...parts) {
  if (new.target === undefined) return new NativeDate(input.now).toString()
  return Reflect.construct(NativeDate, parts.length === 0 ? [input.now] : parts, new.target)
}
FixedDate.prototype = NativeDate.prototype
Object.defineProperties(FixedDate, {
  name: { value: 'Date' },
  length: { value: 7 },
  now: { value: () => input.now, writable: true, configurable: true },
  parse: { value: NativeDate.parse, writable: true, configurable: true },
  UTC: { value: NativeDate.UTC, writable: true, configurable: true },
})
Object.defineProperty(NativeDate.prototype, 'constructor', { value: FixedDate, writable: true, configurable: true })
globalThis.Date = FixedDate

const formats = Intl.DateTimeFormat.prototype
const formatOf = Object.getOwnPropertyDescriptor(formats, 'format').get
Object.defineProperty(formats, 'format', {
  configurable: true,
  get() {
    const format = formatOf.call(this)
    return (date) => format(date === undefined ? input.now : date)
  },
})
const { formatToParts } = formats
formats.formatToParts = function (date) {
  return formatToParts.call(this, date === undefined ? input.now : date)
}

// mulberry32
let seed = input.seed
Math.random = () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
}

class ToolError extends NativeError {
  get name() {
    return 'ToolError'
  }
}

const NAMES = ['tools', 'describe', 'find', 'console']
const AsyncFunction = (async () => {}).constructor
const compile = (body) => new AsyncFunction(...NAMES, body + '\n//# sourceURL=code.js')
/** Undefined for a text that is no code. */
function tryCompile(body) {
  try {
    return compile(body)
  } catch {
    return undefined
  }
}

// The line break keeps the parenthesis out of a comment.
const asExpression = tryCompile('return (\n' + source + '\n)')
const asScript = asExpression === undefined ? compileScript() : undefined
let compiled = asExpression ?? asScript
let syntaxError
try {
  compiled ??= compile(source)
} catch (error) {
  syntaxError = { error: messageOf(error), line: lineOfSyntax(source.split('\n'), error) }
}
/** The line of the compiled text before the first one of the code. */
const lineBefore = asExpression === undefined ? 2 : 3

/** The code with a return before the expression with which it ends; undefined for code that ends with anything else. */
function compileScript() {
  const lines = source.split('\n')
  const last = lines.at(-1)
  const end = last.lastIndexOf(';') + 1
  // What follows a semicolon in a comment is no code.
  if (end > 0 && !/\/\/|<!--|-->/.test(last)) {
    const before = source.slice(0, source.length - last.length + end)
    if (tryCompile(before) !== undefined) return tryCompile(before + 'return (' + last.slice(end) + '\n)')
  }
  for (let at = lines.length - 1; at > 0 && at > lines.length - 30; at--) {
    // A line that begins otherwise may continue the expression before it.
    if (!/^\s*[\w$"']/.test(lines[at])) continue
    const before = lines.slice(0, at).join('\n')
    if (tryCompile(before) === undefined) continue
    return tryCompile(before + '\nreturn (' + lines.slice(at).join('\n').replace(/;\s*$/, '') + '\n)')
  }
}

/** Writes a value as JSON. What JSON does not have is described. */
function textOf(value) {
  try {
    return stringify(value, (_key, member) => {
      switch (typeof member) {
        case 'bigint':
          return member + 'n'
        case 'function':
          return '[function ' + member.name + ']'
        case 'symbol':
          return '[' + String(member) + ']'
        case 'object':
          if (member instanceof NativeError) return messageOf(member)
          if (member instanceof NativePromise) return '[a promise: write await before the call]'
          if (member instanceof Map || member instanceof Set) return [...member]
      }
      return member
    })
  } catch (error) {
    return stringify('[not JSON: ' + messageOf(error) + ']')
  }
}

function messageOf(error) {
  try {
    if (!(error instanceof NativeError)) return typeof error === 'string' ? error : String(textOf(error))
    const text = String(error.name) + ': ' + String(error.message)
    return error instanceof NativeAggregateError
      ? text + ' (' + error.errors.slice(0, 3).map(messageOf).join('; ') + ')'
      : text
  } catch {
    return 'An error that cannot be read'
  }
}

/**
 * The line of the first error of syntax, which has no stack: the fewest lines that have this error although a text follows
 * them that is no code.
 */
function lineOfSyntax(lines, { message }) {
  const end = message === 'Invalid or unexpected token' ? '\n)' : '\n@'
  let [least, most] = [1, lines.length]
  while (least < most) {
    const middle = Math.floor((least + most) / 2)
    if (hasError(lines.slice(0, middle).join('\n') + end, message)) most = middle
    else least = middle + 1
  }
  return least
}

function hasError(body, message) {
  try {
    compile(body)
    return false
  } catch (error) {
    return error.message === message
  }
}

/** The line of the code at which an error was created. */
function lineOf(error) {
  try {
    const line = Number(/code\.js:(\d+)/.exec(error.stack)?.[1]) - lineBefore
    return line > 0 ? line : undefined
  } catch {
    return undefined
  }
}

const logs = []
let room = input.maxLogs
let cut = 0
function log(level, parts) {
  const text = level + parts.map((part) => (typeof part === 'string' ? part : String(textOf(part)))).join(' ')
  // The end of a line is a character of it: any number of empty lines would fit otherwise.
  const length = text.length + 1
  cut += Math.max(0, length - room)
  if (room > 0) logs.push(text.slice(0, room))
  room = Math.max(0, room - length)
}
const console = {}
for (const level of ['log', 'info', 'debug', 'trace', 'dir', 'dirxml', 'table', 'group', 'groupCollapsed']) {
  console[level] = (...parts) => log('', parts)
}
for (const level of ['warn', 'error']) console[level] = (...parts) => log(level + ': ', parts)
console.assert = (holds, ...parts) => holds || log('error: ', ['Assertion failed', ...parts])
for (const name of ['groupEnd', 'time', 'timeLog', 'timeEnd', 'count', 'countReset', 'clear']) console[name] = () => {}
globalThis.console = console

const pending = new Map()
let queue = []
let calls = 0
let isOver = false
function call(kind, name, args) {
  return new NativePromise((resolve, reject) => {
    if (isOver) throw new ToolError('The code has ended: await each call before it returns')
    if (calls >= input.maxCalls) throw new ToolError('The code may make at most ' + input.maxCalls + ' calls')
    const text = stringify(args)
    if (text === undefined) throw new TypeError('The arguments of ' + name + ' must be an object')
    calls += 1
    pending.set(calls, { resolve, reject, name })
    queue.push([kind, name, text])
  })
}
const tools = Object.create(null)
for (const [identifier, name] of input.tools) {
  const value = (args = {}) => call('tool', name, args)
  for (const key of [name, identifier]) Object.defineProperty(tools, key, { value, enumerable: key === identifier })
}
Object.freeze(tools)
// The server reads no more of them.
const MAX_NAMES = 20
const MAX_NAME_LENGTH = 128
const MAX_WORDS_LENGTH = 1000
const describe = (...names) =>
  call('describe', 'describe', names.flat().slice(0, MAX_NAMES).map((name) => String(name).slice(0, MAX_NAME_LENGTH)))
const find = (words = '') => call('find', 'find', String(words).slice(0, MAX_WORDS_LENGTH))

/** Resolves when the code has done everything that needs no result: a timer is due after all microtasks. */
const drained = () => new NativePromise((resolve) => setTimer(resolve, 0))

async function run(code) {
  const value = await code(tools, describe, find, console)
  // A function at the end of a script is a value of it, and is not called.
  return typeof value === 'function' && asScript === undefined ? value(tools, describe, find, console) : value
}

export default class extends WorkerEntrypoint {
  async run(next) {
    if (syntaxError !== undefined) return ended({ ...syntaxError, isUncompiled: true })
    let end
    run(compiled).then(
      (value) => {
        end = { value, unawaited: namesOfPending() }
      },
      (error) => {
        end = { error: messageOf(error), line: lineOf(error), unawaited: namesOfPending() }
      },
    )
    for (;;) {
      await drained()
      if (end !== undefined) isOver = true
      if (pending.size === 0 && queue.length === 0) break
      const sent = { calls: queue, logs: logs.splice(0) }
      queue = []
      const received = parse(await next(stringify(sent)))
      if (received === null) return 'null'
      const [place, isOk, value] = received
      const { resolve, reject } = pending.get(place)
      pending.delete(place)
      if (isOk) resolve(value)
      else reject(new ToolError(value))
    }
    return ended(end ?? { error: 'The code waits for a promise that nothing resolves' })
  }
}

const namesOfPending = () => [...pending.values()].map(({ name }) => name)

function ended({ value, error, line, unawaited = [], isUncompiled }) {
  const text = error === undefined ? textOf(value) : undefined
  return stringify({
    ...(error === undefined
      ? { result: text?.slice(0, input.maxResult), resultLength: text?.length }
      : { error: error.slice(0, input.maxResult), line, isUncompiled }),
    unawaited,
    logs,
    logsCut: cut,
  })
}
`
