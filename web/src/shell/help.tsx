import { type Scope, scopes } from '../keys/keys.ts'
import { Key } from '../parts/bits.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { closeLayer } from './layers.ts'

/** Everything that keys do where the person is. */
export function Help() {
  const heard = scopes.value.map(({ current }) => current).filter(({ isModal }) => !isModal)
  return (
    <Dialog title="Keys" onClose={closeLayer} kind="wide">
      <div class="help">
        {gather(heard).map(({ title, shortcuts }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {shortcuts
                .filter(({ isUnlisted }) => !isUnlisted)
                .map(({ keys, label }) => (
                  <div key={keys + label}>
                    <dt>
                      {keys.split(', ').map((each) => (
                        <Key key={each} keys={each} />
                      ))}
                    </dt>
                    <dd>{label}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

/** Scopes of one name are one list; the nearest first. */
function gather(all: readonly Scope[]): readonly Scope[] {
  const titles = [...new Set(all.toReversed().map(({ title }) => title))]
  return titles.map((title) => ({
    title,
    shortcuts: all.filter((scope) => scope.title === title).flatMap(({ shortcuts }) => shortcuts),
  }))
}
