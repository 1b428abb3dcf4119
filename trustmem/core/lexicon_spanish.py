"""Spanish words by what they do."""

from trustmem.core.lexicon import Lexicon, both_ways, grouped, numbered, phrases, replaced, words

_AUXILIARIES = words(
    """
    es son era eran fue fueron ser está están estaba estaban estar ha han había habían he haber será serán puede
    pueden podría debe deben soy eres somos estoy hay hubo sea sean
    """
)
_PREPOSITIONS = words(
    """
    de del en a al con por para desde hasta sobre entre hacia contra según como que tras bajo ante antes después
    durante mediante
    """
)
_FIRST = words(
    """
    yo me mi mis mí conmigo nosotros nosotras nos nuestro nuestra nuestros nuestras
    """
)

SPANISH = Lexicon(
    code="es",
    marks=words(
        """
        a el la los las un una unos unas de del y en que con por para se su sus es son está están al lo no más como
        pero fue ha han ya sin sobre entre desde hasta muy también ni nunca este esta cuando donde mi usa vive tiene
        """
    ),
    stop=_AUXILIARIES
    | _PREPOSITIONS
    | _FIRST
    | words(
        """
        el la los las lo un una unos unas y e o u pero si entonces se su sus este esta estos estas ese esa eso esto
        aquel aquella le les te tu tus él ella ellos ellas usted cual quien cuyo cuando donde cómo porque mientras
        también ambos ambas ya aquí allí
        """
    ),
    filler=words("el la los las un una unos unas también realmente simplemente"),
    auxiliaries=_AUXILIARIES,
    verbs=words(
        """
        abre acepta administra ama aprueba asiste bebe busca cambia canta cierra cobra come compra conduce contiene
        contrata corre crea cuesta cumple da depende despliega dice dirige dura empieza enseña entra envía escribe
        escucha estudia existe funciona gana gestiona gusta habla hace incluye invita juega lee llega lleva maneja
        mide mueve muere nace necesita odia ofrece paga participa pasa pasan permite pertenece pide pierde prefiere
        produce publica puso quiere recibe reemplaza reporta requiere rige sabe sale sigue soporta supervisa tarda
        termina tiene tienen toca toma trabaja trabajan trae usa usan utiliza utilizan vale vende viaja visita vive
        viven vuelve nació murió ganó perdió escribió publicó fundó vivía usaba trabajaba responde expira vence
        caduca informa corre arranca vivo trabajo uso prefiero tengo hablo estudio
        """
    ),
    prepositions=_PREPOSITIONS,
    orders=words(
        """
        añadir agregar implementar verificar crear corregir actualizar eliminar escribir probar refactorizar migrar
        configurar documentar revisar definir comprobar integrar instalar terminar completar diseñar mover cambiar
        renombrar reemplazar borrar mejorar validar desplegar preparar publicar llamar enviar comprar pagar añade
        agrega implementa verifica configura pon instala
        """
    ),
    indefinite=words(
        """
        un una unos unas alguien algo algunos algunas gente otro otra dos tres cuatro cinco muchos varios
        """
    ),
    first_person=_FIRST,
    joins=words("y e o u ni"),
    several=words(
        """
        usa utiliza depende tiene contiene incluye conoce gusta habla miembro parte relacionado menciona soporta
        requiere implementa llama visitó creó escribió
        """
    ),
    mutual=words("conoció casado casada colabora amigo hermano junto"),
    negations=words(
        """
        no nunca jamás nadie nada ninguno ninguna ningún ni sin tampoco apenas carece carecen niega negó rechaza
        incapaz
        """
    ),
    denying=phrases(
        """
        en vez de, en lugar de, solía, solían, ya no, dejó de, dejaron de, anteriormente, libre de, odia, detesta,
        evita, rechaza, se opone, contra
        """
    ),
    prefixes=("des", "in", "im", "ir", "dis"),
    universal=words(
        """
        todo toda todos todas siempre cada cualquier completamente totalmente ambos ambas
        """
    ),
    partial=words(
        """
        algún alguno alguna algunos algunas varios varias muchos muchas pocos pocas veces frecuentemente normalmente
        ocasionalmente parcialmente mayoría raramente
        """
    ),
    exclusive=words(
        """
        solo sólo solamente únicamente exclusivamente sino excepto salvo diferente diferentes distinto distinta
        """
    ),
    changes=phrases(
        """
        ya no, en vez de, en lugar de, cambió, cambiado, cambió a, cambia, se mudó, mudó, mudado, antes, solía,
        solían, dejó de, reemplazó, reemplazado, reemplaza, sustituyó, sustituido, sustituye, migró, migrado, ahora,
        actualmente, recientemente, renombrado, renombró, actualizado, actualizó, aumentó, disminuyó, redujo, subió,
        bajó, amplió, pospuesto, aplazado, pasó a, anteriormente, previamente, desde entonces, obsoleto, retirado,
        se trasladó, trasladó, vendió, canceló, cancelado
        """
    ),
    origins=words("de desde del"),
    forgiven=phrases(
        """
        no solo, no sólo, no solamente, no olvides, no olvide, no olvidar, no olvidarse, no te olvides, nunca
        olvides, sin duda, no dudes, sin falta, nada más que
        """
    ),
    done=words(
        """
        completado completada hecho hecha terminado terminada implementado implementada verificado verificada
        resuelto resuelta corregido corregida fusionado desplegado desplegada añadido añadida creado creada cerrado
        cerrada configurado configurada listo lista
        """
    ),
    due=phrases(
        """
        pendiente, por hacer, falta, hay que, debe ser, necesita, planeado, planeada, todavía no, aún no
        """
    ),
    labels=words(
        """
        fase paso etapa tarea incidencia capítulo sección parte nivel hito semana día página punto opción regla
        apéndice caso figura tabla línea pregunta ejemplo lección módulo unidad episodio temporada volumen ronda
        bloque grupo tipo capa nodo fila columna prueba versión
        """
    ),
    numbers=numbered(
        "cero, uno, dos, tres, cuatro, cinco, seis, siete, ocho, nueve, diez, , doce, trece, catorce, quince, dieciséis"
    )
    | {"diecisiete": 17, "dieciocho": 18, "diecinueve": 19, "veinte": 20, "treinta": 30, "cuarenta": 40}
    | {"cincuenta": 50, "sesenta": 60, "setenta": 70, "ochenta": 80, "noventa": 90, "cien": 100, "ciento": 100}
    | {"mil": 1000, "millón": 10**6, "millones": 10**6}
    | numbered("primero primer primera, segundo segunda, tercero tercer tercera, cuarto cuarta, quinto quinta", 1),
    months=numbered(
        "enero, febrero, marzo, abril, mayo, junio, julio, agosto, septiembre, octubre, noviembre, diciembre", 1
    ),
    same=replaced(
        """
        auto=coche carro=coche ordenador=computadora móvil=celular sólo=solo utiliza=usa utilizan=usan
        """
    ),
    opposites=both_ways(
        """
        activado/desactivado activada/desactivada activado/inactivo activo/inactivo activa/inactiva activa/desactiva
        habilitado/deshabilitado habilitada/deshabilitada habilita/deshabilita abierto/cerrado abierta/cerrada
        abre/cierra verdadero/falso sí/no arriba/abajo dentro/fuera antes/después encima/debajo más/menos
        máximo/mínimo aumenta/disminuye/reduce aumentó/disminuyó/redujo sube/baja subió/bajó alto/bajo alta/baja
        mayor/menor mejor/peor grande/pequeño grande/pequeña largo/corto larga/corta viejo/nuevo vieja/nueva
        viejo/joven rápido/lento rápida/lenta temprano/tarde primero/último primera/última empieza/termina
        fuerte/débil caliente/frío claro/oscuro duro/blando fácil/difícil simple/complejo bueno/malo buena/mala
        izquierda/derecha correcto/incorrecto éxito/fracaso gana/pierde ganó/perdió permitido/prohibido
        permitida/prohibida permitidos/prohibidos permite/prohíbe permite/bloquea acepta/rechaza aceptado/rechazado
        aceptada/rechazada aprobado/rechazado gusta/disgusta ama/odia público/privado pública/privada
        interno/externo interna/externa local/remoto local/remota manual/automático opcional/obligatorio
        opcional/obligatoria opcional/requerido presente/ausente vivo/muerto viva/muerta hombre/mujer marido/mujer
        hijo/hija hermano/hermana madre/padre norte/sur este/oeste importa/exporta incluye/excluye incluido/excluido
        añadido/eliminado añade/elimina instalado/desinstalado bloqueado/desbloqueado bloqueada/desbloqueada
        sellado/desellado lleno/vacío seco/mojado rico/pobre barato/caro barata/cara seguro/inseguro legal/ilegal
        posible/imposible visible/oculto visible/invisible casado/soltero/divorciado casada/soltera/divorciada
        siempre/nunca siempre/jamás siempre/veces todos/ninguno todas/ninguna todos/algunos todas/algunas todo/nada
        todos/nadie alguien/nadie algo/nada nunca/veces muchos/pocos muchas/pocas con/sin mañana/tarde/noche
        día/noche hoy/ayer diario/semanal/mensual/anual diaria/semanal/mensual/anual
        diariamente/semanalmente/mensualmente compra/vende empleado/desempleado amigo/enemigo positivo/negativo
        igual/diferente mayoría/minoría cifrado/descifrado recuerda/olvida estable/inestable encendido/apagado
        encendida/apagada
        """
    ),
    groups=grouped(
        {
            "weekday": "lunes martes miércoles jueves viernes sábado domingo sábados domingos",
            "month": """
            enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
            """,
            "season": "primavera verano otoño invierno",
            "colour": """
            rojo azul verde amarillo naranja morado rosa marrón negro blanco gris roja amarilla negra blanca
            """,
            "nation": """
            español española francés francesa alemán alemana italiano italiana portugués portuguesa inglés
            inglesa americano americana estadounidense mexicano mexicana argentino argentina chileno chilena
            colombiano colombiana peruano peruana chino china japonés japonesa ruso rusa griego griega
            """,
            "medium": "película álbum serie novela libro canción obra musical revista periódico",
            "relation": """
            madre padre hermano hermana hijo hija tío tía primo prima esposa esposo abuela abuelo
            """,
            "instrument": "guitarra piano violín batería bajo flauta trompeta",
            "sport": "fútbol baloncesto tenis béisbol hockey golf rugby voleibol",
            "direction": "norte sur oeste",
        }
    ),
)
