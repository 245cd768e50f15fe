/** IP addresses in the spellings that platforms and proxies write into headers. */

/** The longest spelling: an IPv6 address that ends in an IPv4 address. */
const MAX_LENGTH = 45

/**
 * The 4 bytes of an IPv4 address or the 16 bytes of an IPv6 address; undefined for any other text. An
 * IPv4 address in IPv6 (`::ffff:192.0.2.1`) has 4 bytes.
 */
export function parseIpAddress(text: string): readonly number[] | undefined {
  if (text.length > MAX_LENGTH || !/^[\da-f:.]+$/i.test(text)) return undefined
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text)
}

export function isLoopbackAddress(bytes: readonly number[]): boolean {
  return bytes.length === 4
    ? bytes[0] === 127
    : bytes.every((byte, index) => byte === (index === 15 ? 1 : 0))
}

export interface AddressRange {
  /** The first address. */
  readonly bytes: readonly number[]
  readonly bits: number
}

export function isInRange(address: readonly number[], { bytes, bits }: AddressRange): boolean {
  if (address.length !== bytes.length) return false
  return bytes.every((byte, index) => {
    const unused = 8 - Math.min(Math.max(bits - index * 8, 0), 8)
    return byte >> unused === (address[index] ?? 0) >> unused
  })
}

function parseIpv4(text: string): readonly number[] | undefined {
  const parts = text.split('.')
  const isAddress = parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))
  const bytes = parts.map(Number)
  return isAddress && bytes.every((byte) => byte <= 255) ? bytes : undefined
}

function parseIpv6(text: string): readonly number[] | undefined {
  // `URL` validates the address and writes it with hexadecimal groups and at most one `::`.
  const hostname = URL.parse(`http://[${text}]/`)?.hostname
  if (hostname === undefined) return undefined
  const [head = '', tail] = hostname.slice(1, -1).split('::')
  const before = groupsOf(head)
  const after = groupsOf(tail ?? '')
  const zeros = Array<number>(8 - before.length - after.length).fill(0)
  const bytes = [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 255])
  const isMapped = bytes.slice(0, 12).every((byte, index) => byte === (index < 10 ? 0 : 255))
  return isMapped ? bytes.slice(12) : bytes
}

function groupsOf(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
}
