/** The file of a contract: its text, and how it is read back. */
import { isJsonObject, isTextList, type JsonObject } from '../../../../src/protocol/json.ts'
import { isDeeperThan, parseJson } from '../../../text/src/json/json-text.ts'
import {
  type Contract,
  type ContractEntry,
  fingerprintOf,
  fingerprintOfServer,
  LIST_NAMES,
  type ServerContract,
  TOKENIZER,
  wholeContract,
} from './contract.ts'

/** Members sorted as in RFC 8785, one a line: the same definition always gives the same bytes. */
export const contractText = (contract: Contract): string => `${linesOf(contract, '')}\n`

/** `JSON.stringify` would put members whose names are integers first. */
function linesOf(value: unknown, indent: string): string {
  const inner = `${indent}  `
  const block = (open: string, lines: readonly string[], close: string) =>
    lines.length === 0
      ? `${open}${close}`
      : `${open}\n${lines.map((line) => `${inner}${line}`).join(',\n')}\n${indent}${close}`
  if (Array.isArray(value)) {
    return block(
      '[',
      value.map((item) => linesOf(item, inner)),
      ']',
    )
  }
  if (!isJsonObject(value)) return JSON.stringify(value)
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}: ${linesOf(value[name], inner)}`)
  return block('{', members, '}')
}

export type ReadContract =
  /** `isIntact`: every fingerprint is that of its definition. */
  | { readonly state: 'read'; readonly contract: Contract; readonly isIntact: boolean }
  /** It was written by this command and is damaged, as by a merge. It may be replaced. */
  | { readonly state: 'damaged' }
  /** It is of another program, or of a newer version. It must not be replaced. */
  | { readonly state: 'foreign'; readonly why: string }

const MAX_DEPTH = 200
/** Servers, their lists and the entries of these are around a definition. */
export const MAX_ENTRY_DEPTH = MAX_DEPTH - 10

export function readContract(text: string): ReadContract {
  const value = parseJson(text)
  // Schemas are nested less, and what is nested without bound cannot be written again.
  if (isDeeperThan(value, MAX_DEPTH)) return { state: 'foreign', why: 'is nested too deeply' }
  const isOurs = text.includes(`"tokenizer": "${TOKENIZER}"`)
  if (!isJsonObject(value) || value.contract === undefined) {
    return isOurs
      ? { state: 'damaged' }
      : { state: 'foreign', why: 'was not written by edgeway contract' }
  }
  if (value.contract !== 1) {
    return {
      state: 'foreign',
      why: 'was written by another version of edgeway. Update the package',
    }
  }
  const servers = Array.isArray(value.servers) ? value.servers.map(readServer) : [undefined]
  if (!servers.every((server) => server !== undefined)) return { state: 'damaged' }
  const contract = wholeContract(servers)
  const isIntact =
    value.fingerprint === contract.fingerprint &&
    servers.every(
      (server) =>
        server.fingerprint === fingerprintOfServer(server) &&
        entriesOf(server).every((one) => one.fingerprint === fingerprintOf(one.definition)),
    )
  return { state: 'read', contract, isIntact }
}

export const entriesOf = (server: ServerContract): readonly ContractEntry[] => [
  server.info,
  ...LIST_NAMES.flatMap((list) => server[list]),
]

function readServer(value: unknown): ServerContract | undefined {
  if (!isJsonObject(value)) return undefined
  const { audience, paths, info, fingerprint, bytes, tokens } = value
  const lists = LIST_NAMES.map((list) => value[list])
  const entries = [info, ...lists.flat()]
  const isWhole =
    typeof audience === 'string' &&
    typeof fingerprint === 'string' &&
    typeof bytes === 'number' &&
    typeof tokens === 'number' &&
    isTextList(paths) &&
    lists.every(Array.isArray) &&
    entries.every(isEntry)
  // Each member was checked above, which the compiler does not follow.
  return isWhole ? (value as unknown as ServerContract) : undefined
}

const isEntry = (value: unknown): boolean =>
  isJsonObject(value) &&
  isJsonObject(value.definition as JsonObject) &&
  typeof value.fingerprint === 'string' &&
  (value.scopes === undefined || isTextList(value.scopes))
