/** Read the arrays that NumPy writes (format .npy, little-endian, C order). */

const KINDS = { "<i2": Int16Array, "|u1": Uint8Array, "|i1": Int8Array, "<u4": Uint32Array, "<f4": Float32Array };

/**
 * @param {ArrayBuffer} buffer
 * @returns {{data: Int16Array | Uint8Array | Int8Array | Uint32Array | Float32Array, shape: number[]}}
 */
export function readNpy(buffer) {
  const bytes = new Uint8Array(buffer);
  if (bytes[0] !== 0x93 || String.fromCharCode(...bytes.subarray(1, 6)) !== "NUMPY") throw new Error("The file is not an array of NumPy.");
  const view = new DataView(buffer);
  const wide = bytes[6] > 1;
  const start = wide ? 12 : 10;
  const end = start + (wide ? view.getUint32(8, true) : view.getUint16(8, true));
  const header = new TextDecoder("latin1").decode(bytes.subarray(start, end));
  const descr = /'descr': *'([^']+)'/.exec(header)?.[1] ?? "";
  const shape = (/'shape': *\(([^)]*)\)/.exec(header)?.[1] ?? "").split(",").filter((part) => part.trim()).map(Number);
  const Kind = KINDS[/** @type {keyof typeof KINDS} */ (descr)];
  if (!Kind) throw new Error(`Arrays of the type ${descr} are not supported.`);
  const length = shape.reduce((product, side) => product * side, 1);
  const aligned = end % Kind.BYTES_PER_ELEMENT === 0;
  return { data: aligned ? new Kind(buffer, end, length) : new Kind(buffer.slice(end), 0, length), shape };
}
