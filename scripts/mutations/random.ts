/** Numbers that a seed determines. */
import { createHash } from 'node:crypto'

export interface Random {
  /** An integer from 0 to below `limit`. */
  below(limit: number): number
  /** One of the names, as often as its weight says. Undefined where there is none. */
  pick<T>(weighted: readonly (readonly [name: T, weight: number])[]): T | undefined
}

export function createRandom(seed: string): Random {
  let drawn = 0
  const next = () => {
    const digest = createHash('sha256').update(`${seed} ${drawn++}`).digest()
    return digest.readUIntBE(0, 6) / 2 ** 48
  }
  return {
    below: (limit) => Math.floor(next() * limit),
    pick(weighted) {
      let point = next() * weighted.reduce((total, [, weight]) => total + weight, 0)
      for (const [name, weight] of weighted) {
        if (point < weight) return name
        point -= weight
      }
      return weighted.at(-1)?.[0]
    },
  }
}
