import { registerHooks } from 'node:module';
import { MUTANTS } from './mutants.ts';
import { ORDER_MUTANTS } from './order-mutants.ts';

// Breaks one rule of the protocol in this process, in the text of the module that holds it, as it is loaded. The sources
// stay as they are, and the program has no switch for it.

const name = process.env['SYNC_MUTANT'] ?? '';
const mutant = [...MUTANTS, ...ORDER_MUTANTS].find((known) => known.name === name);
if (mutant === undefined) throw new Error(`there is no mutant "${name}"`);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    // of a program of an earlier schema, too (older-schema.ts)
    const [path = ''] = url.split('?');
    const edits = mutant.edits.filter(({ file }) => path.endsWith(`/${file}`));
    if (edits.length === 0) return loaded;
    let source = textOf(loaded.source);
    for (const { file, from, to } of edits) {
      if (!source.includes(from)) throw new Error(`mutant "${mutant.name}": ${file} has no ${from}`);
      source = source.replace(from, () => to);
    }
    return { ...loaded, source };
  },
});

/** @param {unknown} source */
function textOf(source) {
  if (typeof source === 'string') return source;
  if (source instanceof Uint8Array) return new TextDecoder().decode(source);
  throw new Error('a module without text');
}
