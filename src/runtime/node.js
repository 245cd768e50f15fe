/**
 * Replaces `workers.js` in plain Node, where tests run definitions: base classes whose objects cannot be
 * created, and the standard methods that Node 20, 22 and 24 lack. Each is defined only where it is missing.
 */

export class DurableObject {
  constructor() {
    throw new TypeError(
      'Durable Objects exist on Workers alone. Test an app with objects in @cloudflare/vitest-plugin',
    )
  }
}

export class WorkerEntrypoint {
  constructor() {
    throw new TypeError('The entrypoints of a Worker exist on Workers alone')
  }
}

define(Promise, 'withResolvers', () => {
  let resolve
  let reject
  const promise = new Promise((...functions) => {
    ;[resolve, reject] = functions
  })
  return { promise, resolve, reject }
})

define(URL, 'parse', (url, base) => (URL.canParse(url, base) ? new URL(url, base) : null))

define(
  Uint8Array.prototype,
  'toBase64',
  function ({ alphabet = 'base64', omitPadding = false } = {}) {
    const text = Buffer.from(this.buffer, this.byteOffset, this.byteLength).toString(alphabet)
    if (omitPadding) return text.replace(/=+$/, '')
    return text.padEnd(Math.ceil(text.length / 4) * 4, '=')
  },
)

define(Uint8Array, 'fromBase64', (text, { alphabet = 'base64', lastChunkHandling } = {}) => {
  const bytes = Buffer.from(text, alphabet)
  const canonical = bytes.toBase64({ alphabet })
  // Buffer ignores what is not base64, so only the way back shows that it decoded everything.
  const unpadded = canonical.replace(/=+$/, '')
  if (text !== canonical && (lastChunkHandling === 'strict' || text !== unpadded)) {
    throw new SyntaxError('The text is not base64')
  }
  return new Uint8Array(bytes)
})

define(Uint8Array, 'fromHex', (text) => {
  const bytes = Buffer.from(text, 'hex')
  // Buffer stops at the first character that is not hexadecimal.
  if (bytes.length * 2 !== text.length) throw new SyntaxError('The text is not hexadecimal')
  return new Uint8Array(bytes)
})

define(Uint8Array.prototype, 'toHex', function () {
  return Buffer.from(this.buffer, this.byteOffset, this.byteLength).toString('hex')
})

// Of Workers. A write of a TransformStream also waits until its chunk is read.
define(globalThis, 'IdentityTransformStream', TransformStream)

function define(object, name, value) {
  if (name in object) return
  Object.defineProperty(object, name, { value, writable: true, configurable: true })
}
