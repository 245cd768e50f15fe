/** The arguments of `edgeway doctor` as the command line has them. */
import { InvalidArgumentError } from 'commander'
import { CLIENT_NAMES } from '../../src/clients/names.ts'
import { CLIENTS, type Client } from '../doctor/clients.ts'

export function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('It is not an http or https URL.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidArgumentError('Clients send no user information of a URL. Use --header.')
  }
  // Clients send no fragment, and no resource has one.
  url.hash = ''
  return url
}

const MAX_SECONDS = 600

export function parseSeconds(text: string): number {
  const seconds = Number(text)
  if (!(seconds > 0 && seconds <= MAX_SECONDS)) {
    throw new InvalidArgumentError(`It is a number of seconds up to ${MAX_SECONDS}.`)
  }
  return seconds
}

export function parsePort(text: string): number {
  const port = Number(text)
  if (!(Number.isInteger(port) && port > 0 && port < 65_536)) {
    throw new InvalidArgumentError('It is a port from 1 to 65535.')
  }
  return port
}

/** A name, or the beginning of one: `--client claude` selects three. */
export function addClient(text: string, previous: readonly Client[]): readonly Client[] {
  const wanted = plain(text)
  const exact = CLIENTS.filter(({ name }) => plain(name) === wanted)
  const found =
    exact.length > 0 ? exact : CLIENTS.filter(({ name }) => plain(name).startsWith(wanted))
  if (wanted === '' || found.length === 0) {
    throw new InvalidArgumentError(`The clients are ${CLIENT_NAMES.join(', ')}.`)
  }
  return [...previous, ...found.filter((client) => !previous.includes(client))]
}

const plain = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '')

export function addHeader(
  text: string,
  previous: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const [, name = '', value = ''] =
    /^([A-Za-z0-9!#$%&'*+.^_`|~-]+):\s*([\x20-\x7e]*)$/.exec(text) ?? []
  if (name === '') throw new InvalidArgumentError('It has the form "Name: value".')
  return { ...previous, [name.toLowerCase()]: value }
}
