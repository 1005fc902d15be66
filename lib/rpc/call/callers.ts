import { callers, default_callers as defaultCallers } from '@agentmesh/proto/mesh/v1/access';
import { type DescMethod, getOption } from '@bufbuild/protobuf';

const nobody = 'none';

/**
 * Names of the services that may call a method, as its proto file declares them. Reads the options of the descriptor, which takes
 * microseconds: read them once for each method. Throws when the file declares nothing.
 */
export function callersOf(method: DescMethod): ReadonlySet<string> {
  const own = getOption(method, callers);
  const declared = own.length > 0 ? own : getOption(method.parent, defaultCallers);
  if (declared.length === 0) {
    throw new Error(
      `${method.parent.typeName}/${method.name} does not declare who may call it: see mesh/v1/access.proto`,
    );
  }
  return new Set(declared.filter((caller) => caller !== nobody));
}
