/** Tools, resources, templates and prompts, with a search. */
import { useId, useState } from 'preact/hooks'
import { ArrowList } from '../elements/arrow-list.tsx'
import { Empty } from '../elements/notice.tsx'
import { shortened, visible } from '../elements/text.tsx'
import { hrefOf } from '../route.ts'
import { type Catalog, type Item, LISTS, type ListName, viewOf } from './catalog.ts'

interface ItemListProps {
  readonly lists: Catalog['lists']
  /** The list and the id of the selected item. */
  readonly selected: readonly string[]
}

export const LIST_TITLES: Readonly<Record<ListName, string>> = {
  tools: 'Tools',
  resources: 'Resources',
  templates: 'Resource templates',
  prompts: 'Prompts',
}

export function ItemList({ lists, selected }: ItemListProps) {
  const [search, setSearch] = useState('')
  const id = useId()
  const words = search.toLowerCase().split(/\s+/)
  const found = LISTS.map((name) => ({
    name,
    items: lists[name].filter((item) => words.every((word) => textOf(item).includes(word))),
  })).filter(({ items }) => items.length > 0)
  const isEmpty = LISTS.every((name) => lists[name].length === 0)
  return (
    <>
      <div class="toolbar">
        <label for={id} class="hidden">
          Search
        </label>
        <input
          id={id}
          type="search"
          placeholder="Search tools, resources and prompts"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </div>
      <div class="scroll">
        {found.map(({ name, items }) => (
          <section key={name} class="items" aria-labelledby={`list-${name}`}>
            <h3 id={`list-${name}`}>
              {LIST_TITLES[name]} <span class="quiet">{items.length}</span>
            </h3>
            <ArrowList label={LIST_TITLES[name]}>
              {items.map((item, index) => {
                const isSelected = selected[0] === name && selected[1] === item.id
                const hasSelected =
                  selected[0] === name && items.some((each) => each.id === selected[1])
                return (
                  <li key={item.id}>
                    <a
                      class="row"
                      href={hrefOf('try', name, item.id)}
                      aria-current={isSelected ? 'true' : undefined}
                      tabIndex={(hasSelected ? isSelected : index === 0) ? 0 : -1}
                    >
                      <bdi class="code item-name">{visible(shortened(item.id, 200))}</bdi>
                      {name === 'tools' && viewOf(item) !== undefined && (
                        <span class="badge accent item-view">view</span>
                      )}
                      {item.description !== undefined && (
                        <span class="item-text">
                          <bdi>{visible(shortened(item.description, 160))}</bdi>
                        </span>
                      )}
                    </a>
                  </li>
                )
              })}
            </ArrowList>
          </section>
        ))}
        {found.length === 0 && (
          <Empty title={isEmpty ? 'The server offers nothing to this client' : 'Nothing matches'} />
        )}
      </div>
    </>
  )
}

function textOf({ id, title = '', description = '' }: Item): string {
  return `${id} ${title} ${description}`.toLowerCase()
}
