/** Finds the Server Card that a command is for, in a project with one or several servers. */

import type { DescribedApp, DescribedCard } from '../../../doctor/src/config/inspector.ts'
import { CommandError } from '../../../text/src/command-error.ts'
import { printable } from '../../../text/src/terminal-text.ts'

/** @throws {CommandError} for a project without a card, and for one with several unless one is named */
export function findCard(
  apps: readonly DescribedApp[],
  name: string | undefined,
): { readonly app: DescribedApp; readonly card: DescribedCard } {
  const all = apps.flatMap((app) => {
    const { serverCard } = app
    return serverCard === undefined ? [] : [{ app, card: serverCard }]
  })
  if (all.length === 0) {
    throw new CommandError(
      "No server of the main module has a Server Card. Add the feature: import { serverCard } from 'edgeway/server-card', and features: [serverCard({ name: 'com.example/notes' })]",
    )
  }
  const found = name === undefined ? all : all.filter(({ card }) => card.name === name)
  const [first, ...others] = found
  if (first !== undefined && others.length === 0) return first
  const names = [...new Set(all.map(({ card }) => card.name))].join(', ')
  throw new CommandError(
    first === undefined
      ? `No server has the name ${printable(name ?? '')}: the main module has ${names}`
      : `The main module has several servers: pass --name with one of ${names}`,
  )
}
